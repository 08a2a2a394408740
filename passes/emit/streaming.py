# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few rows of A against all of B, k in interleaved slices over a workgroup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from iree.compiler import ir

from .arithmetic import Index
from .direct import DirectSide
from .kernel import Kernel, Tile
from .memory import WorkgroupTile
from .reduction import outer_product
from .store import Epilogue, inside


class Layout(Protocol):
    """What the streaming needs of a configuration."""

    rows: int
    columns: int
    slices: int
    lane_columns: int
    lane_terms: int
    by_term: bool
    unroll: int


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
    """Adds partial[slice][row, column] over the slices in order and stores C."""
    kernel = owner.kernel
    count = owner.rows * owner.columns
    for first in range(0, count, kernel.threads):
        element = kernel.add(kernel.thread_id, first)
        row = kernel.add(owner.first_row, kernel.div(element, owner.columns))
        column = kernel.add(owner.first_column, kernel.rem(element, owner.columns))

        def body(element: Index = element, row: Index = row, n: Index = column) -> None:
            def join(number: ir.Value, total: list[ir.Value]) -> list[ir.Value]:
                return [kernel.plus(*total, partial.load(number, element))]

            (total,) = kernel.loop(
                (1, partial.rows, 1), [partial.load(0, element)], join
            )
            Epilogue(kernel, owner.batch_indices, n).store(row, total)

        conditions = [kernel.less(element, count)]
        conditions += inside(kernel, row, "m", owner.rows)
        conditions += inside(kernel, column, "n", owner.columns)
        kernel.if_(conditions, body)
