# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits the factors of a sum of products into the two sides of a matrix product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, dims_of

from .contraction import BATCH, K, M, N, Size, dims_read
from .expression import Apply, Expression, Load, apply, loads_of
from .types import is_float

_PRODUCTS = ("arith.mulf", "arith.muli")
_MOST_FACTORS = 4
_KINDS = {
    (True, True, True): BATCH,
    (True, False, True): M,
    (False, True, True): N,
    (True, True, False): K,
    (False, False, True): BATCH,
}


class NoPartition(Exception):
    """Why factors are not two matrices; no reason where nobody would think so."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def factors_of(node: Expression) -> list[Expression] | None:
    """The factors of a multiplication, those of its own operands included."""
    if not isinstance(node, Apply) or node.name not in _PRODUCTS:
        return None
    factors: list[Expression] = []
    for operand in node.operands:
        if isinstance(operand, Apply) and operand.name == node.name:
            factors += factors_of(operand) or []
        else:
            factors.append(operand)
    return factors


def partition(
    factors: list[Expression], init: Load, sizes: Mapping[int, Size]
) -> tuple[Expression, Expression, list[str]]:
    """lhs, rhs and the kind of each dimension. Raises NoPartition."""
    reads = [set(loads_of((f,))) for f in factors]
    if any(init in r for r in reads):
        raise NoPartition("the body multiplies by the value that it accumulates")
    reasons = []
    for lhs, rhs in _bipartitions(factors[:_MOST_FACTORS]):
        rhs = [*rhs, *factors[_MOST_FACTORS:]]
        try:
            kinds = _kinds(lhs, rhs, init, sizes)
        except NoPartition as error:
            reasons.append(error)
        else:
            return _product(lhs), _product(rhs), kinds
    raise reasons[0]


def _bipartitions(
    factors: Sequence[Expression],
) -> Iterator[tuple[list[Expression], list[Expression]]]:
    """Both sides with at least one factor, the first factor on the left."""
    first, *rest = factors
    for mask in range(2 ** len(rest) - 1):
        chosen = [bool(mask >> n & 1) for n in range(len(rest))]
        left = [f for f, c in zip(rest, chosen, strict=True) if c]
        right = [f for f, c in zip(rest, chosen, strict=True) if not c]
        yield [first, *left], right


def _kinds(
    lhs: list[Expression],
    rhs: list[Expression],
    init: Load,
    sizes: Mapping[int, Size],
) -> list[str]:
    left, right = (frozenset().union(*map(dims_read, s)) for s in (lhs, rhs))
    out = dims_of(init.access)
    kinds = []
    for dim in range(len(sizes)):
        kind = _KINDS.get((dim in left, dim in right, dim in out))
        if kind is None and sizes[dim] != 1:
            raise NoPartition(f"dimension {dim} is reduced over one operand alone")
        kinds.append(kind or K)
    if K not in kinds:
        raise NoPartition("no dimension is reduced over both operands")
    if M not in kinds and N not in kinds:
        is_square = _reads(lhs) == _reads(rhs)
        reason = "neither operand is a matrix: these are dot products"
        raise NoPartition("" if is_square else reason)
    return kinds


def _reads(factors: list[Expression]) -> set[tuple[ir.Value, Access]]:
    return {(load.value, load.access) for load in loads_of(factors)}


def _product(factors: list[Expression]) -> Expression:
    type_ = factors[0].type
    name = "arith.mulf" if is_float(type_) else "arith.muli"
    return reduce(lambda a, b: apply(name, (a, b), type_), factors)
