# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replace chosen gemm.matmul ops by dispatches of kernels, restore the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp, matmuls
from iree_gemm.errors import GemmError, located
from iree_gemm.options import Options
from iree_gemm.target import Target

from .call import call_by_rows
from .describe import NotDescribable, problem_of
from .devices import target_of_module
from .kernels import Kernels, Plan
from .raise_contractions import LEFT
from .strategies.record import config_of
from .strategies.strategy import Reject
from .strategies.table import BY_NAME, planned_rows


@dataclass(frozen=True)
class LowerKernelsPass:
    """Replace chosen gemm.matmul ops by dispatches of kernels, restore the others.

    A kernel that several products share is emitted once.
    """

    options: Options

    name: ClassVar[str] = "gemm-lower-kernels"

    def __call__(self, module: ir.Operation) -> None:
        kernels, target = Kernels(module), target_of_module(module)
        for op in matmuls(module):
            with located(op), op.location:
                _lower(op, kernels, target)
        _forget_reasons(module)


def _lower(op: MatmulOp, kernels: Kernels, target: Target | Reject) -> None:
    if problems := op.problems():
        raise GemmError("; ".join(problems), op.location)
    if op.strategy is None:
        raise GemmError("no strategy: run gemm-select-strategy first", op.location)
    if op.strategy == "iree":
        _restore(op)
        return
    with ir.InsertionPoint(op):
        results = call_by_rows(_plans(op, target), kernels)
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


def _plans(op: MatmulOp, target: Target | Reject) -> list[tuple[int | None, Plan]]:
    """The recorded plans, each for at most so many rows, the last for all others."""
    if isinstance(target, Reject):
        raise GemmError(f"{op.strategy} needs a device: {target.reason}", op.location)
    try:
        problem = problem_of(op)
    except NotDescribable as error:
        raise GemmError(f"{op.strategy}: {error}", op.location) from error
    plans = []
    for at_most, name, record in _records(op):
        if name not in BY_NAME:
            raise GemmError(f"unknown strategy '{name}'", op.location)
        rows = planned_rows(op.most_rows) if at_most is None else at_most
        few = problem.with_rows(rows) or problem
        try:
            config = config_of(BY_NAME[name], record, few, target)
        except ValueError as error:
            raise GemmError(f"configuration of {name}: {error}", op.location) from error
        plans.append((at_most, Plan(op, problem, BY_NAME[name], config)))
    return plans


def _records(op: MatmulOp) -> list[tuple[int | None, str, dict[str, int]]]:
    assert op.strategy is not None
    try:
        cases = [(c.at_most, c.strategy, c.config) for c in op.cases]
        return [*cases, (None, op.strategy, op.config)]
    except ValueError as error:
        raise GemmError(f"configuration: {error}", op.location) from error


def _restore(op: MatmulOp) -> None:
    """Puts the original operations back.

    Without terms a product is what it adds to: IREE 3.13 fails on empty operands.
    """
    if 0 in (b for b, i in zip(op.bounds, op.iterators, strict=True) if i == "k"):
        root = op.original_block.operations[0].operation
        root.result.replace_all_uses_with(root.operands[-1])
        root.erase()
    *body, terminator = op.original_block.operations
    for old, new in zip(op.results, terminator.operands, strict=True):
        old.replace_all_uses_with(new)
    terminator.operation.erase()
    for original in body:
        original.operation.move_before(op.operation)
    op.operation.erase()


def _forget_reasons(module: ir.Operation) -> None:
    def visit(op: ir.Operation) -> ir.WalkResult:
        if LEFT in op.attributes:
            del op.attributes[LEFT]
        return ir.WalkResult.ADVANCE

    module.walk(visit)
