# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes the indexing maps of a `gemm.matmul` valid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from iree.compiler import ir

from .linear import Linear, access_of_map, dims_of
from .spelling import INDEXED, LOOPS

if TYPE_CHECKING:
    from .gemm import MatmulOp

# Kinds of dimensions that cannot be in the maps of a group.
_ABSENT = {"lhs": "n", "rhs": "m", "extras": "k", "results": "k"}


def kinds(op: MatmulOp) -> Iterator[str]:
    """Each kind of dimension is of its operands alone."""
    for group, absent in _ABSENT.items():
        accesses = [access_of_map(map_) or () for _, map_ in op.indexed(group)]
        read = {op.iterators[dim] for access in accesses for dim in dims_of(access)}
        if absent in read:
            yield f"a dimension of {absent} is in a map of {group}"


def extents(op: MatmulOp) -> Iterator[str]:
    """Static bounds agree with what they index."""
    bounds = [
        bound if kind in LOOPS else None
        for bound, kind in zip(op.bounds, op.iterators, strict=True)
    ]
    for group in INDEXED:
        for value, map_ in op.indexed(group):
            if not _fits(value.type, map_, bounds, is_filled=group == "results"):
                yield f"the bounds do not fit {value.type} at {map_}"


def _fits(
    type_: ir.Type,
    map_: ir.AffineMap,
    bounds: Sequence[int | None],
    is_filled: bool,
) -> bool:
    """Whether indices lie in a tensor, and reach its end where it is to be filled."""
    shape = type_.shape if isinstance(type_, ir.RankedTensorType) else []
    for form, size in zip(access_of_map(map_) or (), shape, strict=True):
        reach = _reach(form, bounds)
        if reach is None or size == ir.ShapedType.get_dynamic_size():
            continue
        least, greatest = reach
        if least < 0 or greatest >= size or (is_filled and greatest < size - 1):
            return False
    return True


def _reach(form: Linear, bounds: Sequence[int | None]) -> tuple[int, int] | None:
    """The least and the greatest index; None where the run decides or there is none."""
    least = greatest = form.constant
    for dim, coefficient in form.terms:
        bound = bounds[dim]
        if not bound:
            return None
        last = coefficient * (bound - 1)
        least, greatest = least + min(last, 0), greatest + max(last, 0)
    return least, greatest
