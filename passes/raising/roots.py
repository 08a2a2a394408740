# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognises the structured operations that are matrix products."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import linalg

from .contraction import (
    BATCH,
    Contraction,
    Dimension,
    DynamicSize,
    K,
    M,
    N,
    Output,
    dims_read,
)
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
from .linear import Access, access_of_map, dims_of

_PRODUCT_OPS = {"arith.mulf": "arith.addf", "arith.muli": "arith.addi"}
_FLOATS = ("f16", "bf16", "f32")


@dataclass(frozen=True)
class NotRaised:
    """Why an operation that multiplies and sums stays as it is."""

    reason: str


def match_product(op: ir.Operation) -> Contraction | NotRaised | None:
    """The product that an operation computes; None where it multiplies no matrices."""
    accesses = _accesses(op)
    if accesses is None or not _reduces(accesses):
        return None
    block = op.regions[0].blocks[0]
    loads = [Load(v, a) for v, a in zip(op.operands, accesses, strict=True)]
    try:
        (total,) = expressions_of_body(block, dict(enumerate(loads)))
    except (NotElementwise, ValueError):
        return None
    product = _product(total, loads[-1])
    if product is None:
        return None
    return _contraction(op, loads, product)


def _accesses(op: ir.Operation) -> list[Access] | None:
    if not op.name.startswith("linalg.") or len(op.regions) != 1:
        return None
    if len(op.results) != 1:
        return None
    maps = linalg.get_indexing_maps(op)
    if maps is None:
        return None
    accesses = [access_of_map(m.value) for m in maps]
    if len(accesses) != len(op.operands) or any(a is None for a in accesses):
        return None
    return [a for a in accesses if a is not None]


def _reduces(accesses: list[Access]) -> bool:
    read = frozenset().union(*(dims_of(a) for a in accesses[:-1]))
    return bool(read - dims_of(accesses[-1]))


def _product(total: Expression, init: Load) -> Apply | None:
    """The product in `init + lhs * rhs`, in either order of the addition."""
    if not isinstance(total, Apply) or len(total.operands) != 2:
        return None
    for term, other in (total.operands, total.operands[::-1]):
        if other is not init or not isinstance(term, Apply):
            continue
        if _PRODUCT_OPS.get(term.name) == total.name:
            return term
    return None


def _contraction(
    op: ir.Operation, loads: list[Load], product: Apply
) -> Contraction | NotRaised:
    lhs, rhs = product.operands
    if loads[0] in set(loads_of((rhs,))):
        lhs, rhs = rhs, lhs
    init = loads[-1]
    if init in set(loads_of((lhs, rhs))):
        return NotRaised("the body multiplies by the value that it accumulates")
    kinds = _kinds(dims_read(lhs), dims_read(rhs), dims_of(init.access))
    if isinstance(kinds, NotRaised):
        return kinds
    sizes = _sizes(loads, len(kinds))
    if None in sizes:
        return NotRaised("a dimension has no operand that gives its size")
    if not all(r.plain_dim is not None or not r.dims for r in init.access):
        return NotRaised("the result is not indexed by plain dimensions")
    if reason := _type_problem(lhs, rhs, init):
        return NotRaised(reason)
    dims = tuple(Dimension(k, s) for k, s in zip(kinds, sizes, strict=True))
    output = Output(_accumulated(init), init.access, op.results[0])
    return Contraction(dims, _exact(lhs), _exact(rhs), (output,), (op,))


def _kinds(
    lhs: frozenset[int], rhs: frozenset[int], out: frozenset[int]
) -> list[str] | NotRaised:
    kinds = []
    for dim in sorted(lhs | rhs | out):
        where = (dim in lhs, dim in rhs, dim in out)
        kind = {
            (True, True, True): BATCH,
            (True, False, True): M,
            (False, True, True): N,
            (True, True, False): K,
            (False, False, True): BATCH,
        }.get(where)
        if kind is None:
            return NotRaised(f"dimension {dim} is reduced over one operand alone")
        kinds.append(kind)
    if K not in kinds:
        return NotRaised("no dimension is reduced over both operands")
    return kinds


def _sizes(loads: list[Load], n_dims: int) -> list[int | DynamicSize | None]:
    sizes: list[int | DynamicSize | None] = [None] * n_dims
    for load in loads:
        if not isinstance(load.value.type, ir.RankedTensorType):
            continue
        for axis, form in enumerate(load.access):
            dim = form.plain_dim
            if dim is None or isinstance(sizes[dim], int):
                continue
            if not load.value.type.is_dynamic_dim(axis):
                sizes[dim] = load.value.type.get_dim_size(axis)
            elif sizes[dim] is None:
                sizes[dim] = DynamicSize(load.value, axis)
    return sizes


def _type_problem(lhs: Expression, rhs: Expression, init: Load) -> str | None:
    types = [str(t) for t in (lhs.type, rhs.type, init.type)]
    if all(t in _FLOATS for t in types) or types == ["i32"] * 3:
        return None
    return f"element types {types[0]} * {types[1]} -> {types[2]} are not supported"


def _accumulated(init: Load) -> Expression:
    """`init + accumulator`; 16-bit results are rounded once, after the f32 sum."""
    if isinstance(init.type, ir.IntegerType):
        return apply("arith.addi", (init, Accumulator(init.type)), init.type)
    f32 = ir.F32Type.get()
    accumulator = Accumulator(f32)
    if init.type == f32:
        return apply("arith.addf", (init, accumulator), f32)
    total = apply(
        "arith.addf", (apply("arith.extf", (init,), f32), accumulator), f32
    )
    return apply("arith.truncf", (total,), init.type)


def _exact(node: Expression) -> Expression:
    """Without a widening cast at the end: the product is exact in either type."""
    while isinstance(node, Apply) and node.name in ("arith.extf", "arith.extsi"):
        source = node.operands[0].type
        if str(source) not in ("f16", "bf16", "i8"):
            break
        node = node.operands[0]
    return node
