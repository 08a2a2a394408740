# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replace chosen gemm.matmul ops by dispatches of kernels, restore the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from iree.compiler import ir

from iree_gemm.dialects.gemm import LEFT, MatmulOp, matmuls
from iree_gemm.errors import GemmError, located
from iree_gemm.options import Options
from iree_gemm.problem import Problem

from .call import call
from .describe import problem_of
from .emit.executable import Shell, create_executable
from .emit.kernel import Kernel
from .emit.signature import signature
from .strategies.strategy import Strategy
from .strategies.table import BY_NAME


@dataclass(frozen=True)
class LowerKernelsPass:
    """Replace chosen gemm.matmul ops by dispatches of kernels, restore the others.

    A kernel that several products share is emitted once.
    """

    options: Options

    name: ClassVar[str] = "gemm-lower-kernels"

    def __call__(self, module: ir.Operation) -> None:
        kernels = _Kernels(module)
        for op in matmuls(module):
            with located(op), op.location:
                _lower(op, kernels)
        _forget_reasons(module)


@dataclass
class _Kernels:
    """The executables of a module by what makes them different."""

    module: ir.Operation
    names: dict[Any, str] = field(default_factory=dict)

    def name_of(self, op: MatmulOp, problem: Problem, strategy: Strategy) -> str:
        config = strategy.config(**op.config)
        blocks = (op.lhs_block, op.rhs_block, op.epilogue_block)
        key = (strategy.name, config, problem, *map(signature, blocks))
        if key not in self.names:
            name = self._unused(_base_name(problem, strategy))
            shell = _shell(name, problem, strategy.threads(config))
            create_executable(
                self.module, shell, lambda: _emit(op, problem, strategy, shell)
            )
            self.names[key] = name
        return self.names[key]

    def _unused(self, base: str) -> str:
        taken = {
            ir.StringAttr(op.attributes["sym_name"]).value
            for op in self.module.regions[0].blocks[0].operations
            if "sym_name" in op.attributes
        }
        names = (f"{base}_{n}" for n in range(len(taken) + 1))
        return next(name for name in names if name not in taken)


def _lower(op: MatmulOp, kernels: _Kernels) -> None:
    if problems := op.problems():
        raise GemmError("; ".join(problems), op.location)
    if op.strategy is None:
        raise GemmError("no strategy: run gemm-select-strategy first", op.location)
    if op.strategy == "iree":
        _restore(op)
        return
    problem = problem_of(op)
    strategy = BY_NAME[op.strategy]
    name = kernels.name_of(op, problem, strategy)
    with ir.InsertionPoint(op):
        results = call(op, problem, name, strategy.tiles(strategy.config(**op.config)))
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


def _restore(op: MatmulOp) -> None:
    *body, terminator = op.original_block.operations
    for old, new in zip(op.results, terminator.operands, strict=True):
        old.replace_all_uses_with(new)
    terminator.operation.erase()
    for original in body:
        original.operation.move_before(op.operation)
    op.operation.erase()


def _emit(op: MatmulOp, problem: Problem, strategy: Strategy, shell: Shell) -> None:
    config = strategy.config(**op.config)
    tiles = strategy.tiles(config)
    kernel = Kernel(op, problem, shell.layout, tiles, shell.threads)
    strategy.emit(kernel, config)


def _shell(name: str, problem: Problem, threads: int) -> Shell:
    inputs = (*problem.lhs, *problem.rhs, *problem.extras)
    scalars = sum(o.is_scalar for o in inputs)
    writable = [False] * (len(inputs) - scalars) + [True] * len(problem.results)
    return Shell(name, len(problem.symbols) + scalars, tuple(writable), threads)


def _base_name(problem: Problem, strategy: Strategy) -> str:
    """For profiles: `gemm_tile_128x768x64_f32_nn`, D for a dynamic size."""
    sizes = [problem.m, problem.n, problem.k]
    if problem.axes_of("batch"):
        sizes.insert(0, problem.batch)
    shape = "x".join("D" if s.static is None else str(s.static) for s in sizes)
    types = {problem.lhs_type, problem.rhs_type, problem.accumulator}
    name = strategy.name.replace("-", "_")
    return f"gemm_{name}_{shape}_{'_'.join(sorted(types))}_{problem.layout().lower()}"


def _forget_reasons(module: ir.Operation) -> None:
    def visit(op: ir.Operation) -> ir.WalkResult:
        if LEFT in op.attributes:
            del op.attributes[LEFT]
        return ir.WalkResult.ADVANCE

    module.walk(visit)
