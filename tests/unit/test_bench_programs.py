# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of cases: valid MLIR, recognized as one product, right in NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from benchmarks import ceilings
from benchmarks.cases import EPILOGUES, Case
from benchmarks.experts import Experts
from benchmarks.inputs import error_of, exact_result, integers, reals
from benchmarks.programs import program
from iree.compiler import ir

from iree_gemm.dialects.gemm import matmuls
from iree_gemm.options import Options
from iree_gemm.passes.raise_contractions import RaiseContractionsPass


def _cases() -> Iterator[Case]:
    for layout in ("nn", "nt", "tn", "tt"):
        yield Case("test", 6, 5, 4, layout=layout)
        yield Case("test", 6, 5, 4, batch=2, layout=layout)
    for epilogue in EPILOGUES:
        yield Case("test", 6, 5, 4, epilogue=epilogue)
        yield Case("test", 6, 5, 4, "f16", batch=3, epilogue=epilogue, result="f16")
    yield Case("test", 6, 5, 4, "bf16")
    yield Case("test", 6, 5, 4, "i8")


@pytest.mark.parametrize("case", list(_cases()), ids=lambda c: c.name)
def test_programs_are_valid(case: Case) -> None:
    with ir.Context():
        assert ir.Module.parse(program(case)).operation.verify()


@pytest.mark.parametrize("case", list(_cases()), ids=lambda c: c.name)
def test_result_has_no_error_against_itself(case: Case) -> None:
    given = integers(case)
    assert error_of(case, given, exact_result(case, given)) < 1e-3


def test_error_finds_a_wrong_element() -> None:
    case = Case("test", 4, 4, 4)
    given = reals(case)
    found = exact_result(case, given)
    found[:, 0] += 1
    assert error_of(case, given, found) > 1e-2


def test_a_batch_has_inputs_of_its_own() -> None:
    a, b = integers(Case("test", 3, 5, 4, batch=2, layout="tn")).arrays
    assert (a.shape, b.shape) == ((2, 4, 3), (2, 4, 5))
    assert set(np.unique(a)) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("ceiling", list(ceilings.gpu()), ids=lambda c: c.name)
def test_ceilings_are_valid(ceiling: ceilings.Ceiling) -> None:
    with ir.Context():
        assert ir.Module.parse(ceiling.text).operation.verify()


@pytest.mark.parametrize(("index", "kind"), [("host", "offset"), ("device", "lookup")])
def test_experts_are_read_in_place(index: str, kind: str) -> None:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(Experts(index, 64, 4).text("f", 3))
        RaiseContractionsPass(Options())(module.operation)
        found = matmuls(module.operation)
        assert [op.iterators.count(kind) for op in found] == [1, 1, 1]


def test_experts_take_turns() -> None:
    """The first is the one that the size of the third argument says."""
    experts = Experts("host", 8, 4)
    row, weights, sized = experts.inputs()
    for layer in range(3):
        row = row @ weights[(len(sized) + layer) % 4]
    assert np.array_equal(experts.expected(experts.inputs()[0], 3), row)
