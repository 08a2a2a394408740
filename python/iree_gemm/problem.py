# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product as plain data: axes, operands, strides. Imports no compiler.

Axes are the iteration dimensions after those that are contiguous in every operand
were merged: any number of batch axes, then one or more each of m, n and k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

ELEMENT_BITS = {"f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i16": 16, "i8": 8}


@dataclass(frozen=True)
class Size:
    """`factor` times the run-time sizes of the dimensions in `symbols`."""

    factor: int
    symbols: tuple[int, ...] = ()

    @property
    def static(self) -> int | None:
        return None if self.symbols and self.factor else self.factor

    def __mul__(self, other: Size) -> Size:
        return Size(
            self.factor * other.factor, tuple(sorted(self.symbols + other.symbols))
        )

    def divided(self, number: int) -> Size:
        """The quotient of a known multiple."""
        return Size(self.factor // number, self.symbols)

    def is_multiple_of(self, number: int) -> bool:
        """Whether that is known at compile time."""
        return self.factor % number == 0

    def __str__(self) -> str:
        if self.static is not None:
            return str(self.factor)
        return "?" if self.factor == 1 else f"{self.factor}*?"


ZERO, ONE = Size(0), Size(1)


@dataclass(frozen=True)
class Axis:
    """A merged iteration dimension; `kind` is batch, m, n or k."""

    kind: str
    size: Size


@dataclass(frozen=True)
class Operand:
    """A tensor with one stride an axis, or a scalar; strides are in elements.

    It starts at element `offset`, and for each symbol and stride of `starts` so many
    strides further as the symbol's run-time value is.
    """

    element: str
    strides: tuple[Size, ...]
    offset: int = 0
    starts: tuple[tuple[int, Size], ...] = ()
    length: Size = ONE
    is_scalar: bool = False

    @property
    def bits(self) -> int:
        return ELEMENT_BITS[self.element]


@dataclass(frozen=True, order=True)
class Operation:
    """An operation of a region, with the element types that it takes and makes."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """`lhs`, `rhs`, `extras` are what the three regions read, in order.

    `lhs_type` and `rhs_type` are the element types that are multiplied,
    `accumulator` the type of the sum; `operations` are those of the regions.
    `magnitudes` are the largest values of integers from A and from B, where known.
    `lookups` are the symbols that kernels read, each from the start of a tensor.
    """

    axes: tuple[Axis, ...]
    lhs: tuple[Operand, ...]
    rhs: tuple[Operand, ...]
    extras: tuple[Operand, ...]
    results: tuple[Operand, ...]
    lhs_type: str
    rhs_type: str
    accumulator: str
    operations: tuple[Operation, ...] = ()
    magnitudes: tuple[int | None, int | None] = (None, None)
    lookups: tuple[tuple[int, Operand], ...] = ()

    def axes_of(self, kind: str) -> list[int]:
        return [n for n, axis in enumerate(self.axes) if axis.kind == kind]

    def size_of(self, kind: str) -> Size:
        """The product of the sizes of a kind's axes."""
        size = ONE
        for n in self.axes_of(kind):
            size = size * self.axes[n].size
        return size

    @property
    def m(self) -> Size:
        return self.size_of("m")

    @property
    def n(self) -> Size:
        return self.size_of("n")

    @property
    def k(self) -> Size:
        return self.size_of("k")

    @property
    def batch(self) -> Size:
        return self.size_of("batch")

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.lhs, *self.rhs, *self.extras, *self.results)

    @property
    def symbols(self) -> list[int]:
        """The dimensions whose size or offset the host passes at run time."""
        sizes = [a.size for a in self.axes]
        sizes += [s for o in self.operands for s in (*o.strides, o.length)]
        starts = [start for o in self.operands for start in o.starts]
        sizes += [stride for _, stride in starts]
        symbols = {symbol for size in sizes for symbol in size.symbols}
        symbols.update(symbol for symbol, _ in starts)
        return sorted(symbols.difference(symbol for symbol, _ in self.lookups))

    def with_rows(self, rows: int) -> Problem | None:
        """The product with `rows` rows; None where m is not one run-time size."""
        axes = self.axes_of("m")
        if len(axes) != 1 or self.m.static is not None:
            return None
        changed = list(self.axes)
        changed[axes[0]] = Axis("m", Size(rows))
        return replace(self, axes=tuple(changed))

    def unit_axis(self, operands: tuple[Operand, ...]) -> int | None:
        """The axis along which the widest operand is contiguous."""
        widest = max(operands, key=lambda o: (len(_moving(o)), o.bits))
        for n in reversed(range(len(self.axes))):
            if widest.strides[n] == ONE:
                return n
        return None

    def unit_kind(self, operands: tuple[Operand, ...]) -> str | None:
        """Whether a side is contiguous along m, n, k or batch."""
        unit = self.unit_axis(operands)
        return None if unit is None else self.axes[unit].kind

    def is_vectorizable(self, operands: tuple[Operand, ...], width: int) -> bool:
        """Whether `width` neighbors along the unit axis load as one aligned vector.

        Each operand is contiguous there or does not depend on it.
        """
        unit = self.unit_axis(operands)
        if unit is None or not self.axes[unit].size.is_multiple_of(width):
            return False
        kind = self.axes[unit].kind
        if kind == "batch" or unit != self.axes_of(kind)[-1]:
            return False
        return all(self._is_aligned(o, unit, width) for o in operands)

    def _is_aligned(self, operand: Operand, unit: int, width: int) -> bool:
        if operand.strides[unit] == ZERO:
            return True
        others = [s for n, s in enumerate(operand.strides) if n != unit]
        others += [stride for _, stride in operand.starts]
        return (
            operand.strides[unit] == ONE
            and operand.offset % width == 0
            and operand.length.is_multiple_of(width)
            and all(s.is_multiple_of(width) for s in others)
        )

    def output_width(self, width: int) -> int:
        """`width` where results and extras allow vectors along n, and else 1."""
        column = self.axes_of("n")[-1]
        moving = [o for o in self.extras if o.strides[column] != ZERO]
        is_wide = self.axes[column].size.is_multiple_of(width) and all(
            self._is_aligned(o, column, width) for o in (*moving, *self.results)
        )
        return width if is_wide and self.results[0].strides[column] == ONE else 1

    def layout(self) -> str:
        """`NN`, `NT`, `TN` or `TT` in the manner of BLAS."""
        lhs, rhs = self.unit_kind(self.lhs), self.unit_kind(self.rhs)
        return ("T" if lhs == "m" else "N") + ("T" if rhs == "k" else "N")

    def describe(self) -> str:
        """For messages: sizes and types, `batch x m x n x k lhs*rhs->acc`."""
        batch = "" if self.batch == ONE else f"{self.batch}x"
        return (
            f"{batch}{self.m}x{self.n}x{self.k} "
            f"{self.lhs_type}*{self.rhs_type}->{self.accumulator}"
        )


def merged(problem: Problem) -> Problem:
    """Merges axes that every operand walks as one; every kind but batch remains.

    What does not merge stays several axes, whose indices a kernel splits: once for m
    and n, in every step for k.
    """
    while (pair := next(_mergeable(problem), None)) is not None:
        problem = _merge(problem, *pair)
    for kind in ("m", "n", "k"):
        if not problem.axes_of(kind):
            problem = _append_axis(problem, Axis(kind, ONE))
    return _ordered(problem)


def _moving(operand: Operand) -> list[Size]:
    return [s for s in operand.strides if s != ZERO]


def _mergeable(problem: Problem) -> Iterator[tuple[int, int]]:
    for outer, a in enumerate(problem.axes):
        for inner, b in enumerate(problem.axes):
            if outer == inner or a.kind != b.kind:
                continue
            if all(
                o.strides[outer] == o.strides[inner] * b.size for o in problem.operands
            ):
                yield outer, inner


def _merge(problem: Problem, outer: int, inner: int) -> Problem:
    axes = list(problem.axes)
    size = axes[outer].size * axes[inner].size
    axes[inner] = replace(axes[inner], size=size)
    return _pick(replace(problem, axes=tuple(axes)), _without(len(axes), outer))


def _append_axis(problem: Problem, axis: Axis) -> Problem:
    def longer(operand: Operand) -> Operand:
        return replace(operand, strides=(*operand.strides, ZERO))

    return replace(_map_operands(problem, longer), axes=(*problem.axes, axis))


def _ordered(problem: Problem) -> Problem:
    """Batch, m, n, k; within a kind the contiguous axis is the last."""

    def is_contiguous(axis: int) -> bool:
        return any(o.strides[axis] == ONE for o in problem.operands)

    kinds = ("batch", "m", "n", "k")
    order = [n for k in kinds for n in sorted(problem.axes_of(k), key=is_contiguous)]
    return _pick(problem, order)


def _pick(problem: Problem, order: list[int]) -> Problem:
    def picked(operand: Operand) -> Operand:
        return replace(operand, strides=tuple(operand.strides[n] for n in order))

    axes = tuple(problem.axes[n] for n in order)
    return replace(_map_operands(problem, picked), axes=axes)


def _map_operands(problem: Problem, change: Callable[[Operand], Operand]) -> Problem:
    return replace(
        problem,
        lhs=tuple(map(change, problem.lhs)),
        rhs=tuple(map(change, problem.rhs)),
        extras=tuple(map(change, problem.extras)),
        results=tuple(map(change, problem.results)),
    )


def _without(count: int, dropped: int) -> list[int]:
    return [n for n in range(count) if n != dropped]
