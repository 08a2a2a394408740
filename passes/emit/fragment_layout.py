# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the subgroups of a workgroup share a tile of C in fragments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from .memory import RUN
from .quad_staging import Shape
from .quads import QUAD_BITS

SUBGROUP = 32


@dataclass(frozen=True)
class Layout:
    """Sizes in elements; `padding` is in 16-byte quads after a staged row.

    A fragment has `size` rows, columns and terms. Raises ValueError where the parts of
    the tile are not whole.
    """

    given: ClassVar[tuple[str, ...]] = ("element_bits",)
    """Entries that follow from the product."""

    size: ClassVar[int] = 16
    sums_in_f32: ClassVar[bool] = False
    """Also where C is of integers."""
    is_unrolled: ClassVar[bool] = False
    """Whether the fragments of a step are written out. A loop of them is what fits
    the instruction cache."""

    broadcasts_subgroup: ClassVar[bool] = False
    """Whether the first invocation of a subgroup tells the others its number."""

    tile_m: int
    tile_n: int
    tile_k: int
    subgroups_m: int
    subgroups_n: int
    padding: int
    element_bits: int

    def __post_init__(self) -> None:
        for problem in self._uneven():
            raise ValueError(problem)

    @property
    def chain(self) -> int:
        """Terms that are summed before they join the total; zero: all of k."""
        return 0

    @property
    def threads(self) -> int:
        return self.subgroups_m * self.subgroups_n * SUBGROUP

    @property
    def rows(self) -> int:
        """Rows of C that a subgroup has."""
        return self.tile_m // self.subgroups_m

    @property
    def columns(self) -> int:
        """Columns of C that a subgroup has."""
        return self.tile_n // self.subgroups_n

    def shape(self, side: str) -> Shape:
        positions = self.tile_m if side == "lhs" else self.tile_n
        return Shape(positions, self.tile_k, self.element_bits, self.padding)

    @property
    def strip_pitch(self) -> int:
        """Quads from a row to the next of a subgroup's strip of C."""
        return self.columns // RUN + 1

    @property
    def strip_quads(self) -> int:
        """Quads of a strip of C: one row of fragments."""
        return self.size * self.strip_pitch

    def quads(self, lhs_along_k: bool, rhs_along_k: bool) -> int:
        """Quads of workgroup memory; strips of C follow the operands in it."""
        staged = self.shape("lhs").quads(lhs_along_k)
        staged += self.shape("rhs").quads(rhs_along_k)
        return max(staged, self.subgroups_m * self.subgroups_n * self.strip_quads)

    @property
    def workgroup_bytes(self) -> int:
        """The most that any layout of the operands takes."""
        quads = max(self.quads(a, b) for a in (True, False) for b in (True, False))
        return quads * QUAD_BITS // 8

    def _uneven(self) -> Iterator[str]:
        """What does not divide."""
        if self.tile_m % (self.subgroups_m * self.size):
            yield f"{self.tile_m} rows are not {self.subgroups_m} times fragments"
        if self.tile_n % (self.subgroups_n * self.size):
            yield f"{self.tile_n} columns are not {self.subgroups_n} times fragments"
        if self.tile_k % self.size:
            yield f"{self.tile_k} terms are not whole fragments"
        if self.columns > SUBGROUP * RUN or SUBGROUP * RUN % self.columns:
            yield f"32 invocations do not share rows of {self.columns} columns"
        for side in ("lhs", "rhs"):
            for along_k in (True, False):
                yield from self._unshared(self.shape(side), along_k)

    def _unshared(self, shape: Shape, along_k: bool) -> Iterator[str]:
        columns = shape.columns(along_k)
        quads = shape.rows(along_k) * columns
        more, less = max(quads, self.threads), min(quads, self.threads)
        if more % less or self.threads % columns:
            yield f"{self.threads} invocations do not share {quads} quads"
