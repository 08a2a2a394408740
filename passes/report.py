# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects one row a product after selection."""

from __future__ import annotations

from iree.compiler import ir

from iree_gemm.dialects.gemm import LEFT, MatmulOp
from iree_gemm.report import Row

from .describe import NotDescribable, problem_of
from .naming import folded_names


def rows_of(module: ir.Operation) -> list[Row]:
    """The products of a module in order, raised or not."""
    rows: list[Row] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == MatmulOp.OPERATION_NAME:
            rows.append(_row_of_matmul(op.opview))
            return ir.WalkResult.SKIP
        if LEFT in op.attributes:
            reason = ir.StringAttr(op.attributes[LEFT]).value
            rows.append(Row(_location(op), strategy="iree", reason=reason))
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return rows


def _row_of_matmul(op: MatmulOp) -> Row:
    is_ours = op.strategy not in (None, "iree")
    row = Row(
        _location(op),
        strategy=" | ".join([*(c.strategy for c in op.cases), op.strategy or ""]),
        config=op.config if is_ours else {},
        reason="" if is_ours else op.reason,
        next=op.stop,
        passed_over=op.passed_over,
    )
    try:
        problem = problem_of(op)
    except NotDescribable:
        return row
    return row.with_problem(problem, folded_names(op, problem))


def _location(op: ir.Operation | MatmulOp) -> str:
    return str(op.location).removeprefix("loc(").removesuffix(")")
