# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product as data: dimensions, operand expressions, outputs.

`output[b, m, n] = expression(sum over k of lhs[b, m, k] * rhs[b, k, n], ...)`, where
each letter stands for any number of dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, Linear, dims_of, substitute
from iree_gemm.dialects.spelling import LOOKUP, LOOPS, OFFSET

from .expression import Expression, Load, loads_of, transform

BATCH, M, N, K = LOOPS
_SWAPPED = {M: N, N: M}


@dataclass(frozen=True)
class DynamicSize:
    """`dim(value, axis) / divisor`, the size of a dimension known at run time."""

    value: ir.Value
    axis: int
    divisor: int = 1


@dataclass(frozen=True)
class HostIndex:
    """The only index of an offset."""

    value: ir.Value


@dataclass(frozen=True)
class LookupIndex:
    """The only index of a lookup, and what it is computed from."""

    value: ir.Value
    expression: Expression = field(compare=False)


Size = int | DynamicSize | HostIndex | LookupIndex


@dataclass(frozen=True)
class Dimension:
    """A dimension of the iteration space; `kind` is batch, m, n, k, offset or lookup.

    Offsets and lookups are no loops: they have one index, which is known at run time.
    """

    kind: str
    size: Size

    @property
    def static(self) -> int | None:
        return self.size if isinstance(self.size, int) else None


@dataclass(frozen=True)
class Output:
    """A tensor that the product yields: its element, its access, the value replaced."""

    element: Expression
    access: Access
    value: ir.Value


@dataclass(frozen=True)
class Contraction:
    """`consumed` are the operations that it stands for: the product, then consumers."""

    dims: tuple[Dimension, ...]
    lhs: Expression
    rhs: Expression
    outputs: tuple[Output, ...]
    consumed: tuple[ir.Operation, ...]

    @property
    def root(self) -> ir.Operation:
        return self.consumed[0]

    @property
    def static_sizes(self) -> list[int | None]:
        return [d.static for d in self.dims]

    @property
    def elements(self) -> tuple[Expression, ...]:
        return tuple(o.element for o in self.outputs)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.lhs, self.rhs, *self.elements)

    def loads(self) -> Iterator[Load]:
        return loads_of(self.expressions)

    def map_nodes(self, change: Callable[[Expression], Expression]) -> Contraction:
        """The same product with every node of its expressions changed."""
        lhs, rhs, *elements = transform(self.expressions, change)
        outputs = tuple(
            replace(o, element=e) for o, e in zip(self.outputs, elements, strict=True)
        )
        return replace(self, lhs=lhs, rhs=rhs, outputs=outputs)

    def replace_load(self, load: Load, by: Expression) -> Contraction:
        return self.map_nodes(lambda node: by if node is load else node)

    def substitute(
        self, dims: Sequence[Dimension], image: Callable[[int], Linear]
    ) -> Contraction:
        """The same product over other dimensions."""

        def change(node: Expression) -> Expression:
            if not isinstance(node, Load) or not node.access:
                return node
            return replace(node, access=substitute(node.access, image))

        mapped = self.map_nodes(change)
        outputs = tuple(
            replace(o, access=substitute(o.access, image)) for o in mapped.outputs
        )
        return replace(mapped, dims=tuple(dims), outputs=outputs)

    def with_index(self, size: HostIndex | LookupIndex) -> tuple[Contraction, Linear]:
        """With an index that the run gives, for loads to use; each index once."""
        for dim, known in enumerate(self.dims):
            if known.size == size:
                return self, Linear.dim(dim)
        kind = OFFSET if isinstance(size, HostIndex) else LOOKUP
        dims = (*self.dims, Dimension(kind, size))
        return replace(self, dims=dims), Linear.dim(len(self.dims))

    def split(self, dim: int, inner: int) -> Contraction | None:
        """Splits a dimension into `size / inner` outer and `inner` inner steps.

        None where it is no loop: its index may be anywhere.
        """
        old = self.dims[dim]
        if not isinstance(old.size, int | DynamicSize):
            return None
        outer = replace(old, size=_divided(old.size, inner))
        halves = (outer, replace(old, size=inner))
        dims = (*self.dims[:dim], *halves, *self.dims[dim + 1 :])

        def image(d: int) -> Linear:
            if d == dim:
                return Linear.of({dim: inner, dim + 1: 1})
            return Linear.dim(d if d < dim else d + 1)

        return self.substitute(dims, image)

    def without_unit_dims(self) -> Contraction:
        """Drops dimensions of size one: their index is always zero."""
        kept = [d for d, dim in enumerate(self.dims) if dim.size != 1]
        number = {d: n for n, d in enumerate(kept)}

        def image(d: int) -> Linear:
            return Linear.dim(number[d]) if d in number else Linear()

        return self.substitute([self.dims[d] for d in kept], image)

    def swapped(self) -> Contraction:
        """The transposed product: the operands, and m and n, change places."""
        dims = tuple(replace(d, kind=_SWAPPED.get(d.kind, d.kind)) for d in self.dims)
        return replace(self, dims=dims, lhs=self.rhs, rhs=self.lhs)

    def dims_of_kind(self, kind: str) -> frozenset[int]:
        return frozenset(n for n, d in enumerate(self.dims) if d.kind == kind)


def dims_read(node: Expression) -> frozenset[int]:
    """The dimensions that an expression depends on."""
    return frozenset().union(*(dims_of(load.access) for load in loads_of((node,))))


def _divided(size: int | DynamicSize, inner: int) -> Size:
    if isinstance(size, int):
        return size // inner
    return replace(size, divisor=size.divisor * inner)
