# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor accesses that are linear in the dimensions of a contraction.

An access holds one linear form a tensor dimension, so transposes, broadcasts,
reshapes and slices of an operand all become another access to its source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from iree.compiler import ir


@dataclass(frozen=True)
class Linear:
    """`constant + sum(coefficient * dim)`; terms are sorted by dim, none is zero."""

    terms: tuple[tuple[int, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[int, int], constant: int = 0) -> Linear:
        return Linear(tuple(sorted((d, c) for d, c in terms.items() if c)), constant)

    @staticmethod
    def dim(dim: int) -> Linear:
        return Linear(((dim, 1),))

    @property
    def plain_dim(self) -> int | None:
        """The dimension, where the form is one dimension and nothing else."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None

    @property
    def dims(self) -> frozenset[int]:
        return frozenset(d for d, _ in self.terms)

    def coefficient(self, dim: int) -> int:
        return dict(self.terms).get(dim, 0)

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for dim, coefficient in other.terms:
            terms[dim] = terms.get(dim, 0) + coefficient
        return Linear.of(terms, self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        terms = {d: c * factor for d, c in self.terms}
        return Linear.of(terms, self.constant * factor)

    def substitute(self, image: Callable[[int], Linear]) -> Linear:
        """Replaces every dimension by its image."""
        result = Linear(constant=self.constant)
        for dim, coefficient in self.terms:
            result = result + image(dim) * coefficient
        return result


Access = tuple[Linear, ...]


def access_of_map(affine_map: ir.AffineMap) -> Access | None:
    """The access that an affine map describes; None where it is not linear."""
    results = [_linear_of_expr(e) for e in affine_map.results]
    if affine_map.n_symbols or any(r is None for r in results):
        return None
    return tuple(r for r in results if r is not None)


def map_of_access(access: Access, n_dims: int) -> ir.AffineMap:
    """The affine map of an access over `n_dims` dimensions."""
    return ir.AffineMap.get(n_dims, 0, [_expr_of_linear(r) for r in access])


def substitute(access: Access, image: Callable[[int], Linear]) -> Access:
    return tuple(r.substitute(image) for r in access)


def dims_of(access: Access) -> frozenset[int]:
    return frozenset().union(*(r.dims for r in access))


def overlaps(access: Access, size_of: Callable[[int], object]) -> bool:
    """Whether an index is the same for several values of its dimensions.

    A convolution's windows overlap; the patches that divide an image do not.
    """
    return any(_overlaps(form, size_of) for form in access)


def _overlaps(form: Linear, size_of: Callable[[int], object]) -> bool:
    terms = [(d, c) for d, c in form.terms if size_of(d) != 1]
    reach: float = 1
    for dim, coefficient in sorted(terms, key=lambda term: term[1]):
        size = size_of(dim)
        if coefficient < reach:
            return True
        reach = coefficient * size if isinstance(size, int) else math.inf
    return False


def linearize(indices: Sequence[Linear], sizes: Sequence[int | None]) -> Linear | None:
    """Row-major index into a shape; None where a dynamic size would scale it."""
    result = Linear()
    for index, size in zip(indices, sizes, strict=True):
        if result != Linear():
            if size is None:
                return None
            result = result * size
        result = result + index
    return result


def split_index(
    index: Linear, inner: int, extents: Sequence[int | None]
) -> tuple[Linear, Linear] | None:
    """Quotient and remainder of an index by `inner`, where both are linear forms."""
    outer_terms = {d: c // inner for d, c in index.terms if c % inner == 0}
    inner_terms = {d: c for d, c in index.terms if c % inner}
    quotient, remainder = divmod(index.constant, inner)
    reach = remainder
    for dim, coefficient in inner_terms.items():
        extent = extents[dim]
        if extent is None or coefficient < 0:
            return None
        reach += coefficient * (extent - 1)
    if reach >= inner:
        return None
    return Linear.of(outer_terms, quotient), Linear.of(inner_terms, remainder)


def _linear_of_expr(expr: ir.AffineExpr) -> Linear | None:
    if isinstance(expr, ir.AffineDimExpr):
        return Linear.dim(expr.position)
    if isinstance(expr, ir.AffineConstantExpr):
        return Linear(constant=expr.value)
    if not isinstance(expr, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    lhs, rhs = _linear_of_expr(expr.lhs), _linear_of_expr(expr.rhs)
    if lhs is None or rhs is None:
        return None
    if isinstance(expr, ir.AffineAddExpr):
        return lhs + rhs
    return lhs * rhs.constant if not rhs.terms else None


def _expr_of_linear(form: Linear) -> ir.AffineExpr:
    result = ir.AffineExpr.get_constant(form.constant)
    for dim, coefficient in form.terms:
        result = result + ir.AffineExpr.get_dim(dim) * coefficient
    return result
