# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a side of the product from its tensors to a tile in workgroup memory."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith

from .arithmetic import Index
from .kernel import Tile
from .operands import Elements, product_element, splat
from .side_tile import SideTile


@dataclass(frozen=True)
class Copy:
    """One load of an invocation: where in the tile it goes, where it comes from."""

    k: Index
    position: Index
    bases: list[Index]


class Stager:
    """Brings k steps of a side to workgroup memory.

    Rows outside the matrix repeat the last one: what they add is never stored. Only
    the last, partial k step is checked, and its missing terms are zero.
    """

    def __init__(self, owner: Tile, side: str, terms: int) -> None:
        self.kernel = kernel = owner.kernel
        self.owner = owner
        self.elements: Elements = kernel.bound.elements[side]
        self.block: ir.Block = getattr(kernel.op, f"{side}_block")
        self.kind = "m" if side == "lhs" else "n"
        self.extent = kernel.m if side == "lhs" else kernel.n
        self.along_k = self._is_along_k()
        self.tile = self._tile(terms)
        self.copies = self._copies()

    def load(self, k: Index, is_tail: bool) -> list[ir.Value]:
        """The values of the step that starts at `k`, in registers."""
        return [self._load(copy, k, is_tail) for copy in self.copies]

    def store(self, values: list[ir.Value]) -> None:
        for copy, value in zip(self.copies, values, strict=True):
            if not self.along_k:
                self.tile.store(value, copy.k, copy.position)
                continue
            for n, element in enumerate(self.kernel.elements(value)):
                self.tile.store(element, self.kernel.add(copy.k, n), copy.position)

    def _is_along_k(self) -> bool:
        unit = self.elements.unit
        return unit is not None and self.kernel.problem.axes[unit].kind == "k"

    def _tile(self, terms: int) -> SideTile:
        positions = self.owner.rows if self.kind == "m" else self.owner.columns
        count = SideTile.elements(terms, positions)
        width = 1 if self.along_k else self.elements.width
        return SideTile(self.kernel.workgroup_buffer(count, width), terms, positions)

    def _copies(self) -> list[Copy]:
        """Neighboring invocations take neighbors along the unit axis."""
        width = self.elements.width
        tile = self.tile
        fast = (tile.terms if self.along_k else tile.positions) // width
        count = tile.terms * tile.positions // width
        assert count % self.kernel.threads == 0, "the tile feeds every invocation"
        return [
            self._copy(self.kernel.add(self.kernel.thread_id, start), fast)
            for start in range(0, count, self.kernel.threads)
        ]

    def _copy(self, number: Index, fast: int) -> Copy:
        kernel, width = self.kernel, self.elements.width
        inner = kernel.mul(kernel.rem(number, fast), width)
        outer = kernel.div(number, fast)
        k, position = (inner, outer) if self.along_k else (outer, inner)
        last = kernel.sub(self.extent, 1 if self.along_k else width)
        first = self.owner.first_row if self.kind == "m" else self.owner.first_column
        row = kernel.min(kernel.add(first, position), last)
        rows = kernel.indices(self.kind, row)
        bases = self.elements.offsets({**self.owner.batch_indices, **rows})
        return Copy(k, position, bases)

    def _load(self, copy: Copy, k: Index, is_tail: bool) -> ir.Value:
        kernel = self.kernel
        k = kernel.add(k, copy.k)
        inside = kernel.less(k, kernel.k) if is_tail else None
        if inside is not None:
            k = kernel.select(inside, k, 0)
        offsets = self.elements.offsets(kernel.indices("k", k), copy.bases)
        value = product_element(self.elements, self.block, offsets, kernel.accumulator)
        if inside is None:
            return value
        if isinstance(value.type, ir.VectorType):
            inside = splat(inside, self.elements.width)  # SPIR-V 1.3 needs a vector
        return arith.select(inside, value, kernel.zero_of(value.type))


class Staging:
    """Both sides of a step, loaded one step ahead where that stays inside k.

    The loads of the next step are then under way while this one is multiplied.
    """

    def __init__(self, sides: tuple[Stager, Stager], tile_k: int) -> None:
        self.kernel = sides[0].kernel
        self.sides = sides
        self.tile_k = tile_k
        k = self.kernel.k
        self.is_ahead = isinstance(k, int) and k >= tile_k

    def first(self, k: Index) -> list[ir.Value]:
        """What is carried into the first step."""
        return self._load_ahead(k) if self.is_ahead else []

    def advance(self, k: Index, ahead: list[ir.Value], is_tail: bool) -> list[ir.Value]:
        """Puts the step that starts at `k` in place; returns what is carried on."""
        lhs, rhs = self.sides
        if is_tail or not self.is_ahead:
            values = [lhs.load(k, is_tail), rhs.load(k, is_tail)]
        else:
            values = [ahead[: len(lhs.copies)], ahead[len(lhs.copies) :]]
        self.kernel.barrier()
        for side, loaded in zip(self.sides, values, strict=True):
            side.store(loaded)
        self.kernel.barrier()
        if is_tail or not self.is_ahead:
            return ahead
        return self._load_ahead(self.kernel.add(k, self.tile_k))

    def _load_ahead(self, k: Index) -> list[ir.Value]:
        """After the last whole step, loads that step again: nobody uses it."""
        k = self.kernel.min(k, self.kernel.sub(self.kernel.k, self.tile_k))
        return [value for side in self.sides for value in side.load(k, False)]
