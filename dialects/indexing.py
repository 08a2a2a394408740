# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes the indexing maps of a `gemm.matmul` valid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from iree.compiler import ir

from .spelling import LOOPS, SEGMENTS

if TYPE_CHECKING:
    from .gemm import MatmulOp

# Kinds of dimensions that cannot be in the maps of a group.
_ABSENT = {"lhs": "n", "rhs": "m", "extras": "k", "results": "k"}


def kinds(op: MatmulOp) -> Iterator[str]:
    """Each kind of dimension is of its operands alone."""
    maps = iter(op.maps)
    for name in (*SEGMENTS[:-1], "results"):
        values = list(op.results) if name == "results" else getattr(op, name)
        read = {
            op.iterators[dim]
            for _, map_ in zip(values, maps, strict=False)
            for dim in _dims_of(map_)
        }
        if _ABSENT.get(name) in read:
            yield f"a dimension of {_ABSENT[name]} is in a map of {name}"


def extents(op: MatmulOp) -> Iterator[str]:
    """Static bounds agree with what they index."""
    values = [*op.lhs, *op.rhs, *op.extras, *op.lookups, *op.results]
    bounds = [
        bound if kind in LOOPS else None
        for bound, kind in zip(op.bounds, op.iterators, strict=True)
    ]
    first_result = len(values) - len(op.results)
    for number, (map_, value) in enumerate(zip(op.maps, values, strict=True)):
        shape = value.type.shape if isinstance(value.type, ir.RankedTensorType) else []
        for expr, size in zip(map_.results, shape, strict=True):
            reach = _reach(expr, bounds)
            if reach is None or size == ir.ShapedType.get_dynamic_size():
                continue
            is_filled = number < first_result or reach[1] == size - 1
            if reach[0] < 0 or reach[1] >= size or not is_filled:
                yield f"the bounds do not fit {value.type} at {map_}"


def _reach(expr: ir.AffineExpr, bounds: Sequence[int | None]) -> tuple[int, int] | None:
    """The least and the greatest index; None where the run decides or there is none."""
    if isinstance(expr, ir.AffineConstantExpr):
        return expr.value, expr.value
    if isinstance(expr, ir.AffineDimExpr):
        bound = bounds[expr.position]
        return (0, bound - 1) if bound else None
    lhs, rhs = _reach(expr.lhs, bounds), _reach(expr.rhs, bounds)
    if lhs is None or rhs is None:
        return None
    if isinstance(expr, ir.AffineAddExpr):
        return lhs[0] + rhs[0], lhs[1] + rhs[1]
    ends = [a * b for a in lhs for b in rhs]
    return min(ends), max(ends)


def is_linear(expr: ir.AffineExpr) -> bool:
    if isinstance(expr, ir.AffineDimExpr | ir.AffineConstantExpr):
        return True
    if not isinstance(expr, ir.AffineAddExpr | ir.AffineMulExpr):
        return False
    return is_linear(expr.lhs) and is_linear(expr.rhs)


def _dims_of(map_: ir.AffineMap) -> set[int]:
    pending, found = list(map_.results), set()
    while pending:
        expr = pending.pop()
        if isinstance(expr, ir.AffineDimExpr):
            found.add(expr.position)
        elif not isinstance(expr, ir.AffineConstantExpr):
            pending += [expr.lhs, expr.rhs]
    return found
