# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models for Metal: each product has a kernel of ours, which is right on the shim.

A model as a whole runs on an Apple machine only. Here each kernel in the finished
module gets random operands, and its result is compared with what its product means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from comparison import difference
from evaluator import matmul
from iree.compiler import ir
from metal_modules import iree_compile
from msl_cpu import Kernel
from program_text import DTYPES

import iree_gemm
from interpreter import count_workgroups
from iree_gemm.dialects.gemm import MatmulOp, matmuls
from iree_gemm.metal import kernels_of
from iree_gemm.metal_kernels import MslKernel, inspecting
from iree_gemm.options import Options
from iree_gemm.passes.describe import problem_of
from iree_gemm.passes.lower_kernels import LowerKernelsPass
from iree_gemm.passes.raise_contractions import RaiseContractionsPass
from iree_gemm.passes.select_strategy import SelectStrategyPass
from models.corpus import MODELS

NAMES = ("minilm", "minilm-f16")
BOUNDS = {"float32": 1e-5, "float16": 2e-3}


@pytest.mark.parametrize("name", NAMES)
def test_every_product(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    built = next(model for model in MODELS if model.name == name).build()
    kernels = dict(kernels_of(iree_gemm.compile(built.source, target="metal")))
    dispatches = dispatches_of(before_our_passes(built.source, tmp_path), rng)
    assert {d.name for d in dispatches} == {n for n in kernels if "gemm" in n}
    wrong = []
    for dispatch in {d.name: d for d in dispatches}.values():
        kernel = kernels[dispatch.name]
        assert "simdgroup_multiply_accumulate" in kernel.text
        wrong += dispatch.faults(kernel)
    assert not wrong, "\n".join(wrong)


@dataclass(frozen=True)
class Product:
    """A product with random operands, and what it means for them."""

    workload: Sequence[int | None]
    inputs: Sequence[np.ndarray]
    expected: Sequence[np.ndarray]

    @staticmethod
    def of(op: MatmulOp, rng: np.random.Generator) -> Product:
        inputs = [_random(v.type, rng) for v in (*op.lhs, *op.rhs, *op.extras)]
        problem = problem_of(op)
        sizes = (problem.m, problem.n, problem.batch)
        return Product([s.static for s in sizes], inputs, matmul(op, inputs))


@dataclass(frozen=True)
class Dispatch:
    """A product and the kernel that it became, with its number of workgroups."""

    name: str
    grid: tuple[int, int, int]
    product: Product

    def faults(self, kernel: MslKernel) -> list[str]:
        results = [np.full_like(e, 99) for e in self.product.expected]
        run = Kernel(kernel.text, kernel.entry)
        run([*self.product.inputs, *results], self.grid, kernel.threads)
        # A model of f16 rounds between operations, whatever its results are.
        bound = max(BOUNDS[a.dtype.name] for a in (*self.product.inputs, *results))
        pairs = zip(results, self.product.expected, strict=True)
        found = [difference(a, e, bound) for a, e in pairs]
        return [f"{self.name}: {fault}" for fault in found if fault]


def before_our_passes(source: str, folder: Path) -> str:
    """The module as the stock compiler hands it to plugins."""
    model, module = folder / "model.mlir", folder / "module.mlir"
    model.write_text(source)
    iree_compile(model, "--compile-to=preprocessing", "-o", module)
    return module.read_text()


def dispatches_of(text: str, rng: np.random.Generator) -> list[Dispatch]:
    """The products of a module in order, each of which becomes one dispatch."""
    with ir.Context() as context, ir.Location.unknown(), inspecting():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text).operation
        RaiseContractionsPass(Options())(module)
        SelectStrategyPass(Options())(module)
        products = [Product.of(op, rng) for op in matmuls(module)]
        LowerKernelsPass(Options())(module)
        names = _dispatched(module)
        return [
            Dispatch(name, count_workgroups(_executable(module, name), p.workload), p)
            for name, p in zip(names, products, strict=True)
        ]


def _random(type_: ir.Type, rng: np.random.Generator) -> np.ndarray:
    dtype = DTYPES[str(type_.element_type)]
    return rng.standard_normal(type_.shape).astype(dtype)


def _dispatched(module: ir.Operation) -> list[str]:
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "flow.dispatch":
            (entry,) = op.attributes["entry_points"]
            names.append(ir.SymbolRefAttr(entry).value[0])
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return names


def _executable(module: ir.Operation, name: str) -> ir.Operation:
    operations = (view.operation for view in module.regions[0].blocks[0].operations)
    symbols = (op for op in operations if "sym_name" in op.attributes)
    return next(op for op in symbols if op.attributes["sym_name"].value == name)
