# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models for Metal: each product has a kernel of ours, which is right on the shim.

A model as a whole runs on an Apple machine only. Here each kernel in the finished
module gets random operands, and its result is compared with what its product means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from iree_gemm.passes.strategies.strategy import Stage
from iree_gemm.passes.strategies.table import BY_NAME
from models.corpus import MODELS

NAMES = ("minilm", "minilm-f16")
BOUNDS = {"float32": 1e-5, "float16": 2e-3}


@pytest.mark.parametrize("name", NAMES)
def test_every_product(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    built = next(model for model in MODELS if model.name == name).build()
    kernels = dict(kernels_of(iree_gemm.compile(built.source, target="metal")))
    products = products_of(before_our_passes(built.source, tmp_path), rng)
    names = {name for product in products for name in product.kernels}
    assert names == {name for name in kernels if "gemm" in name}
    different = {product.kernels[0]: product for product in products}
    faults = [f for product in different.values() for f in product.faults(kernels)]
    assert not faults, "\n".join(faults)


@dataclass(frozen=True)
class Product:
    """A product with random operands, what it means for them, and its kernels."""

    groups: dict[str, list[np.ndarray]]
    expected: list[np.ndarray]
    stages: Sequence[Stage]
    kernels: Sequence[str]
    grids: Sequence[tuple[int, int, int]]

    def faults(self, kernels: dict[str, MslKernel]) -> Iterator[str]:
        assert "simdgroup_multiply_accumulate" in kernels[self.kernels[0]].text
        results = [np.full_like(e, 99) for e in self.expected]
        groups = {**self.groups, "results": results}
        for stage, name, grid in zip(
            self.stages, self.kernels, self.grids, strict=True
        ):
            buffers = [a for g in (*stage.reads, stage.writes) for a in groups[g]]
            run = Kernel(kernels[name].text, kernels[name].entry)
            run(buffers, grid, kernels[name].threads)
        # A model of f16 rounds between operations, whatever its results are.
        arrays = [array for group in groups.values() for array in group]
        bound = max(BOUNDS[array.dtype.name] for array in arrays)
        for actual, expected in zip(results, self.expected, strict=True):
            if fault := difference(actual, expected, bound):
                yield f"{self.kernels}: {fault}"


def before_our_passes(source: str, folder: Path) -> str:
    """The module as the stock compiler hands it to plugins."""
    model, module = folder / "model.mlir", folder / "module.mlir"
    model.write_text(source)
    iree_compile(model, "--compile-to=preprocessing", "-o", module)
    return module.read_text()


def products_of(text: str, rng: np.random.Generator) -> list[Product]:
    """The products of a module in order."""
    with ir.Context() as context, ir.Location.unknown(), inspecting():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text).operation
        RaiseContractionsPass(Options())(module)
        SelectStrategyPass(Options())(module)
        chosen = [_chosen(op, rng) for op in matmuls(module)]
        LowerKernelsPass(Options())(module)
        names = iter(_dispatched(module))
        products = []
        for workload, groups, expected, stages in chosen:
            own = [next(names) for _ in stages]
            executables = [_executable(module, name) for name in own]
            grids = [count_workgroups(e, workload) for e in executables]
            products.append(Product(groups, expected, stages, own, grids))
        assert next(names, None) is None
        return products


def _chosen(op: MatmulOp, rng: np.random.Generator) -> tuple:
    """The workload of a product, random operands, their result, and its stages."""
    groups = {
        name: [_random(value.type, rng) for value in values]
        for name, values in (("lhs", op.lhs), ("rhs", op.rhs), ("extras", op.extras))
    }
    inputs = [array for group in groups.values() for array in group]
    problem, strategy = problem_of(op), BY_NAME[op.strategy]
    config = strategy.config(**op.config)
    workload = [s.static for s in (problem.m, problem.n, problem.batch)]
    elements = strategy.planes(config) * math.prod(workload)
    groups["scratch"] = [np.full(elements, np.nan, np.float32)]
    return workload, groups, matmul(op, inputs), strategy.stages(config)


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
