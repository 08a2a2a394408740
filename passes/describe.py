# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a `gemm.matmul` as plain data for planning."""

from __future__ import annotations

from collections.abc import Mapping

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.dialects.linear import Linear, access_of_map
from iree_gemm.dialects.spelling import INDEXED, LOOKUP, LOOPS
from iree_gemm.problem import ONE, ZERO, Axis, Operand, Operation, Problem, Size, merged

from .magnitudes import largest_magnitude


class NotDescribable(Exception):
    """The operation cannot be written with one stride an axis."""


def problem_of(op: MatmulOp) -> Problem:
    """The product with merged axes. Raises NotDescribable."""
    sizes = _bounds(op)
    kinds = op.iterators
    groups = {
        name: tuple(_operand(v.type, map_, sizes) for v, map_ in op.indexed(name))
        for name in INDEXED
    }
    found = [n for n, kind in enumerate(kinds) if kind == LOOKUP]
    lookups = dict(zip(found, groups.pop("lookups"), strict=True))
    problem = Problem(
        axes=tuple(Axis(kinds[n], size) for n, size in sizes.items()),
        **groups,
        lhs_type=_yielded(op.lhs_block),
        rhs_type=_yielded(op.rhs_block),
        accumulator=str(op.epilogue_block.arguments[0].type),
        operations=_operations(op),
        lookups=tuple(lookups.items()),
        magnitudes=(
            largest_magnitude(op.lhs_block, op.lhs),
            largest_magnitude(op.rhs_block, op.rhs),
        ),
    )
    return merged(problem)


def result_shapes(op: MatmulOp) -> list[list[Size]]:
    """The sizes of each result; a dynamic one is what its index ranges over."""
    sizes = _bounds(op)
    shapes = []
    for result, map_ in op.indexed("results"):
        type_ = ir.RankedTensorType(result.type)
        access = access_of_map(map_) or ()
        shapes.append(
            [_tensor_dim(type_, n, form, sizes) for n, form in enumerate(access)]
        )
    return shapes


def _bounds(op: MatmulOp) -> dict[int, Size]:
    """The sizes of the dimensions that are loops, which offsets and lookups are not."""
    return {
        n: Size(1, (n,)) if bound is None else Size(bound)
        for n, (bound, kind) in enumerate(zip(op.bounds, op.iterators, strict=True))
        if kind in LOOPS
    }


def _yielded(block: ir.Block) -> str:
    *_, terminator = block.operations
    return str(terminator.operands[0].type)


def _operations(op: MatmulOp) -> tuple[Operation, ...]:
    found = set()
    for block in (op.lhs_block, op.rhs_block, op.epilogue_block):
        *body, _ = (view.operation for view in block.operations)
        for inner in body:
            types = [str(v.type) for v in (*inner.operands, *inner.results)]
            found.add(Operation(inner.name, tuple(types)))
    return tuple(sorted(found))


def _operand(type_: ir.Type, map_: ir.AffineMap, sizes: Mapping[int, Size]) -> Operand:
    if not isinstance(type_, ir.RankedTensorType):
        return Operand(str(type_), (ZERO,) * len(sizes), is_scalar=True)
    access = access_of_map(map_)
    assert access is not None, "raising writes linear maps only"
    strides = dict.fromkeys(sizes, ZERO)
    starts: list[tuple[int, Size]] = []
    offset, step = ZERO, ONE
    for axis in reversed(range(type_.rank)):
        form = access[axis]
        for dim, coefficient in form.terms:
            stride = step * Size(coefficient)
            if dim not in strides:
                starts.append((dim, stride))
            elif strides[dim] == ZERO:
                strides[dim] = stride
            else:
                raise NotDescribable("an operand is read along a diagonal")
        if form.constant:
            offset = _plus(offset, step * Size(form.constant))
        step = step * _tensor_dim(type_, axis, form, sizes)
    return Operand(
        str(type_.element_type),
        tuple(strides.values()),
        offset.factor,
        tuple(starts),
        length=step,
    )


def _plus(offset: Size, more: Size) -> Size:
    if more.static is None:
        raise NotDescribable("a slice starts at an offset that a run-time size scales")
    return Size(offset.factor + more.factor)


def _tensor_dim(
    type_: ir.RankedTensorType, axis: int, form: Linear, sizes: Mapping[int, Size]
) -> Size:
    """The size of a tensor dimension; a dynamic one is what its index ranges over."""
    if not type_.is_dynamic_dim(axis):
        return Size(type_.get_dim_size(axis))
    if not form.terms or form.constant or not form.dims <= sizes.keys():
        raise NotDescribable("a dynamic dimension of an operand is not iterated whole")
    dim, coefficient = max(form.terms, key=lambda term: term[1])
    return sizes[dim] * Size(coefficient)
