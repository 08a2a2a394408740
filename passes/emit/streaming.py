# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few rows of A against all of B, k in interleaved slices over a workgroup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir

from .arithmetic import Index
from .direct import DirectSide
from .kernel import Kernel, Tile
from .memory import RUN, WorkgroupTile
from .reduction import outer_product
from .store import Epilogue, inside

_FOLD = 4
_LAST_SLICES = 8


@dataclass(frozen=True)
class Layout:
    """An invocation sums `rows` x `lane_columns` of C, `lane_terms` terms at a time.

    `unroll` blocks of terms are in flight at once. `by_term` lays neighbors out along
    k, as B is contiguous there, and else along n.
    """

    given: ClassVar[tuple[str, ...]] = ("lane_columns", "lane_terms")
    """Entries that follow from the product."""

    rows: int
    columns: int
    slices: int
    lane_columns: int
    lane_terms: int
    by_term: bool
    unroll: int = 4

    def __post_init__(self) -> None:
        if self.columns % self.lane_columns:
            raise ValueError(f"vectors do not divide the columns: {self}")
        if not {self.lane_columns, self.lane_terms} <= {1, RUN}:
            raise ValueError(f"vectors are not of {RUN} elements: {self}")

    @property
    def threads(self) -> int:
        return self.columns // self.lane_columns * self.slices

    @property
    def workgroup_bytes(self) -> int:
        return self.slices * self.rows * self.columns * 4


@dataclass(frozen=True)
class Stream:
    """An invocation's slice of k and its first column in the workgroup's part of C."""

    owner: Tile
    config: Layout
    slice: Index
    column: Index

    @staticmethod
    def of(kernel: Kernel, config: Layout) -> Stream:
        owner = Tile.of_workgroup(kernel, config.rows, config.columns)
        groups = config.columns // config.lane_columns
        if config.by_term:
            number = kernel.rem(kernel.thread_id, config.slices)
            group = kernel.div(kernel.thread_id, config.slices)
        else:
            number = kernel.div(kernel.thread_id, groups)
            group = kernel.rem(kernel.thread_id, groups)
        column = kernel.mul(group, config.lane_columns)
        return Stream(owner, config, number, column)

    def sums(self) -> list[ir.Value]:
        """rows x lane_columns sums of the slice, chained in increasing k."""
        kernel, config = self.owner.kernel, self.config
        lhs = DirectSide(self.owner, "lhs", list(range(config.rows)))
        columns = [kernel.add(self.column, j) for j in range(config.lane_columns)]
        rhs = DirectSide(self.owner, "rhs", columns)
        count = self._blocks()
        whole = kernel.round_down(count, config.unroll)

        def blocks(number: int):
            def body(block: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                ks = [self._first_term(kernel.add(block, u)) for u in range(number)]
                loaded = [
                    (lhs.load(k, config.lane_terms), rhs.load(k, config.lane_terms))
                    for k in ks
                ]
                for a, b in loaded:
                    for x, y in zip(a, b, strict=True):
                        sums = outer_product(kernel, x, y, sums)
                return sums

            return body

        zeros = [kernel.zero()] * (config.rows * config.lane_columns)
        bounds = (0, whole, config.unroll)
        sums = kernel.loop(bounds, zeros, blocks(config.unroll))
        return kernel.loop((whole, count, 1), sums, blocks(1))

    def _blocks(self) -> Index:
        """How many blocks of `lane_terms` terms the slice has."""
        kernel, config = self.owner.kernel, self.config
        total = kernel.ceildiv(kernel.k, config.lane_terms)
        if isinstance(total, int) and total % config.slices == 0:
            return total // config.slices
        spare = kernel.sub(config.slices - 1, self.slice)
        return kernel.div(kernel.add(total, spare), config.slices)

    def _first_term(self, block: Index) -> Index:
        kernel, config = self.owner.kernel, self.config
        number = kernel.add(kernel.mul(block, config.slices), self.slice)
        return kernel.mul(number, config.lane_terms)


def add_slices(owner: Tile, partial: WorkgroupTile) -> None:
    """Adds partial[slice][row, column] over the slices in a fixed order, stores C.

    Four slices are folded at a time while more than eight are left.
    """
    kernel, slices = owner.kernel, partial.rows
    while slices > _LAST_SLICES and slices % _FOLD == 0:
        slices //= _FOLD
        _fold(kernel, partial, slices)
    for first in range(0, partial.columns, kernel.threads):
        element = kernel.add(kernel.thread_id, first)
        row = kernel.add(owner.first_row, kernel.div(element, owner.columns))
        column = kernel.add(owner.first_column, kernel.rem(element, owner.columns))

        def body(element: Index = element, row: Index = row, n: Index = column) -> None:
            total = _sum(kernel, partial, element, range(slices))
            Epilogue(kernel, owner.batch_indices, n).store(row, total)

        conditions = _below(kernel, partial.columns - first)
        conditions += inside(kernel, row, "m", owner.rows)
        conditions += inside(kernel, column, "n", owner.columns)
        kernel.if_(conditions, body)


def _fold(kernel: Kernel, partial: WorkgroupTile, slices: int) -> None:
    """Adds slices s + slices, s + 2 slices, ... to each of the first `slices`."""
    count = slices * partial.columns
    for first in range(0, count, kernel.threads):
        element = kernel.add(kernel.thread_id, first)

        def body(element: Index = element) -> None:
            numbers = range(0, _FOLD * slices, slices)
            total = _sum(kernel, partial, element, numbers)
            partial.store(total, 0, element)

        kernel.if_(_below(kernel, count - first), body)
    kernel.barrier()


def _sum(
    kernel: Kernel, partial: WorkgroupTile, element: Index, slices: range
) -> ir.Value:
    total, *others = (partial.load(number, element) for number in slices)
    for other in others:
        total = kernel.plus(total, other)
    return total


def _below(kernel: Kernel, left: int) -> list[ir.Value]:
    """The condition that keeps invocations beyond the last element out."""
    if left >= kernel.threads:
        return []
    return [kernel.less(kernel.thread_id, left)]
