# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognises the structured operations that are matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, dims_of, overlaps

from .contraction import Contraction, Dimension, DynamicSize, Output, Size
from .expression import (
    Accumulator,
    Apply,
    Expression,
    Load,
    NotElementwise,
    apply,
    expressions_of_body,
    loads_of,
)
from .factors import NoPartition, factors_of, partition
from .simplify import narrowed
from .structured import accesses_of
from .types import is_float

_SUMS = ("arith.addf", "arith.addi")
_FLOAT_CASTS = ("arith.extf", "arith.truncf")


@dataclass(frozen=True)
class NotRaised:
    """Why an operation that multiplies and sums stays as it is."""

    reason: str


def match_product(op: ir.Operation) -> Contraction | NotRaised | None:
    """The product that an operation computes; None where it multiplies no matrices."""
    accesses = accesses_of(op)
    if accesses is None or len(op.results) != 1 or not _reduces(accesses):
        return None
    loads = [Load(v, a) for v, a in zip(op.operands, accesses, strict=True)]
    try:
        body = op.regions[0].blocks[0]
        (total,) = expressions_of_body(body, dict(enumerate(loads)))
    except NotElementwise:
        return None
    factors = _factors_of_sum(total, loads[-1])
    if factors is None:
        return None
    factors.sort(key=lambda factor: loads[0] not in set(loads_of((factor,))))
    sizes = _sizes(loads)
    if any(overlaps(load.access, sizes.get) for load in loads):
        return None
    return _contraction(op, loads, factors, sizes)


def _reduces(accesses: list[Access]) -> bool:
    read = frozenset().union(*(dims_of(a) for a in accesses[:-1]))
    return bool(read - dims_of(accesses[-1]))


def _factors_of_sum(total: Expression, init: Load) -> list[Expression] | None:
    """The factors of `term` in `init + term`, in either order of the addition.

    Casts of floats between them are the model's rounding, which an f32 sum is to
    better.
    """
    total = _without_float_casts(total)
    if not isinstance(total, Apply) or total.name not in _SUMS:
        return None
    operands = [_without_float_casts(o) for o in total.operands]
    for term, other in (operands, operands[::-1]):
        if other is init:
            return factors_of(term)
    return None


def _without_float_casts(node: Expression) -> Expression:
    while isinstance(node, Apply) and node.name in _FLOAT_CASTS:
        node = node.operands[0]
    return node


def _sizes(loads: Sequence[Load]) -> dict[int, Size]:
    """The size of each dimension that some operand has as its own."""
    sizes: dict[int, Size] = {}
    for load in loads:
        if not isinstance(load.value.type, ir.RankedTensorType):
            continue
        for axis, form in enumerate(load.access):
            dim = form.plain_dim
            if dim is None or isinstance(sizes.get(dim), int):
                continue
            if not load.value.type.is_dynamic_dim(axis):
                sizes[dim] = load.value.type.get_dim_size(axis)
            elif dim not in sizes:
                sizes[dim] = DynamicSize(load.value, axis)
    return sizes


def _contraction(
    op: ir.Operation,
    loads: list[Load],
    factors: list[Expression],
    sizes: dict[int, Size],
) -> Contraction | NotRaised | None:
    init = loads[-1]
    if reason := _problem(loads, factors, sizes):
        return NotRaised(reason)
    try:
        lhs, rhs, kinds = partition(factors, init, sizes)
    except NoPartition as error:
        return NotRaised(error.reason) if error.reason else None
    accumulator = ir.F32Type.get() if is_float(init.type) else _i32()
    if not is_float(init.type):
        lhs, rhs = narrowed(lhs, accumulator), narrowed(rhs, accumulator)
    dims = tuple(Dimension(k, sizes[n]) for n, k in enumerate(kinds))
    output = Output(_accumulated(init, accumulator), init.access, op.results[0])
    return Contraction(dims, lhs, rhs, (output,), (op,))


def _problem(
    loads: list[Load], factors: list[Expression], sizes: dict[int, Size]
) -> str:
    """Why no kernel can do the product; empty where one can."""
    types = [*(f.type for f in factors), loads[-1].type]
    shown = " * ".join(map(str, types[:-1])) + f" -> {types[-1]}"
    is_integer = all(isinstance(t, ir.IntegerType) for t in types)
    if not is_integer and not all(map(is_float, types)):
        return f"element types {shown} are not supported"
    if sorted(sizes) != list(range(len(sizes))) or set(sizes) != _dims(loads):
        return "a dimension has no operand that gives its size"
    if any(form.dims and form.plain_dim is None for form in loads[-1].access):
        return "the result is not indexed by plain dimensions"
    return ""


def _dims(loads: Sequence[Load]) -> frozenset[int]:
    return frozenset().union(*(dims_of(load.access) for load in loads))


def _i32() -> ir.IntegerType:
    return ir.IntegerType.get_signless(32)


def _accumulated(init: Load, accumulator: ir.Type) -> Expression:
    """`init + sum`; a narrow result is rounded, or wraps, once, after the sum.

    A wide integer result is the sum's extension, which is right only where a
    truncation follows: any other use of a 64-bit value is refused later.
    """
    total: Expression = Accumulator(accumulator)
    if init.type == accumulator:
        return apply(_sum_op(accumulator), (init, total), accumulator)
    if is_float(accumulator):
        wide = apply("arith.extf", (init,), accumulator)
        total = apply("arith.addf", (wide, total), accumulator)
        return apply("arith.truncf", (total,), init.type)
    start = narrowed(init, accumulator)
    total = apply("arith.addi", (start, total), accumulator)
    is_wide = ir.IntegerType(init.type).width > accumulator.width
    cast = "arith.extsi" if is_wide else "arith.trunci"
    return apply(cast, (total,), init.type)


def _sum_op(type_: ir.Type) -> str:
    return "arith.addf" if is_float(type_) else "arith.addi"
