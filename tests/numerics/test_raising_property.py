# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random contractions with random surroundings give what NumPy gives.

IREE_GEMM_PROGRAMS is the number of programs that are compiled and run, 30 a module;
twice as many are raised and evaluated without a compiler.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from evaluator import run_function
from hypothesis import HealthCheck, Phase, given, seed, settings
from iree.compiler import ir
from random_programs import Program, programs
from reloading import Reloading

import iree_gemm
from iree_gemm.dialects.gemm import matmuls
from iree_gemm.options import Options
from iree_gemm.passes.raise_contractions import RaiseContractionsPass

_COUNT = int(os.environ.get("IREE_GEMM_PROGRAMS", "300"))
_PER_MODULE = 30


def _generated(number: int, count: int = _PER_MODULE) -> list[Program]:
    found: list[Program] = []

    @seed(number)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs("f"))
    def collect(program: Program) -> None:
        found.append(program)

    collect()
    return found[:count]


def _check(program: Program, results: object) -> None:
    values = results if isinstance(results, (list, tuple)) else [results]
    for value, expected in zip(values, program.results, strict=True):
        assert value.dtype == expected.dtype
        assert np.array_equal(value, expected), program.text


@pytest.mark.parametrize("number", range(-(-_COUNT // _PER_MODULE)))
def test_raised_programs_mean_the_same(number: int) -> None:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        for program in _generated(1000 + number, 2 * _PER_MODULE):
            module = ir.Module.parse(program.text)
            RaiseContractionsPass(Options())(module.operation)
            once = str(module)
            RaiseContractionsPass(Options())(module.operation)
            assert str(module) == once, "the second run changes something"
            assert not any(op.problems() for op in matmuls(module.operation))
            function = module.body.operations[0].operation
            _check(program, run_function(function, program.arguments))


@pytest.mark.parametrize("number", range(-(-_COUNT // _PER_MODULE)))
def test_compiled_programs(number: int) -> None:
    found = _generated(number)
    texts = [p.text.replace("@f(", f"@f{n}(", 1) for n, p in enumerate(found)]
    # The strategy whose kernels lavapipe compiles fastest.
    vmfb = iree_gemm.compile("".join(texts), target="llvmpipe", strategy="tile")
    compiled = Reloading(vmfb)
    for n, program in enumerate(found):
        _check(program, compiled.call(f"f{n}", *program.arguments))
