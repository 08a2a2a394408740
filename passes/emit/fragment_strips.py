# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strips of C in workgroup memory: from fragments to runs of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import gpu, vector

from .arithmetic import Index
from .fragment_layout import SUBGROUP
from .fragments import FragmentProduct
from .memory import RUN
from .store import inside

StoreRun = Callable[[Index, ir.Value], None]
"""Takes a row of C and four of its sums; the columns are known when it is made."""


def store_strips(
    product: FragmentProduct,
    sums: list[ir.Value],
    at_column: Callable[[Index], StoreRun],
) -> None:
    """A row of fragments of each subgroup at a time, through workgroup memory.

    Any invocation may store any part, since workgroup barriers stand between: a strip
    is written by one subgroup and read by 32 invocations with consecutive numbers.
    """
    strip = Strip.of(product)
    store_run = at_column(strip.column)
    for number in strip.exchange(sums):
        strip.drain(number, store_run)


@dataclass(frozen=True)
class Strip:
    """An invocation's part of a strip: a run of columns in every `rows`-th row."""

    product: FragmentProduct
    first_row: Index
    column: Index
    row: Index
    slot: Index
    rows: int

    @staticmethod
    def of(product: FragmentProduct) -> Strip:
        kernel, layout, owner = product.kernel, product.layout, product.owner
        number = kernel.div(kernel.thread_id, SUBGROUP)
        lane = kernel.rem(kernel.thread_id, SUBGROUP)
        quads = layout.columns // RUN
        row, quad = kernel.div(lane, quads), kernel.rem(lane, quads)
        grid_row = kernel.div(number, layout.subgroups_n)
        grid_column = kernel.rem(number, layout.subgroups_n)
        first_row = kernel.add(owner.first_row, kernel.mul(grid_row, layout.rows))
        column = kernel.mul(grid_column, layout.columns)
        column = kernel.add(column, kernel.mul(quad, RUN))
        slot = kernel.add(kernel.mul(row, layout.strip_pitch), quad)
        slot = kernel.add(kernel.mul(number, layout.strip_quads), slot)
        column = kernel.add(owner.first_column, column)
        return Strip(product, first_row, column, row, slot, SUBGROUP // quads)

    def exchange(self, sums: list[ir.Value]) -> Iterator[int]:
        """Puts one row of fragments after the other in workgroup memory."""
        kernel, layout = self.product.kernel, self.product.layout
        across = layout.columns // layout.size
        for number in range(layout.rows // layout.size):
            kernel.barrier()
            self._fill(sums[number * across : (number + 1) * across])
            kernel.barrier()
            yield number

    def drain(self, number: int, store_run: StoreRun) -> None:
        """Stores the invocation's runs of the strip that is in workgroup memory."""

        def body(start: Index, _: list[ir.Value]) -> list[ir.Value]:
            self.store(number, start, self.load(start), store_run)
            return []

        self.product.kernel.loop((0, self.product.layout.size, self.rows), [], body)

    def load(self, start: Index) -> ir.Value:
        """The invocation's run among the rows from `start` on."""
        kernel = self.product.kernel
        ahead = kernel.mul(start, self.product.layout.strip_pitch)
        quad = self.product.buffer.load(kernel.add(self.slot, ahead))
        type_ = ir.VectorType.get([RUN], self.product.sum_type)
        return quad if quad.type == type_ else vector.bitcast(type_, quad)

    def store(
        self, number: int, start: Index, run: ir.Value, store_run: StoreRun
    ) -> None:
        """Stores the invocation's run among the rows of a strip from `start` on."""
        kernel, layout = self.product.kernel, self.product.layout
        first = kernel.add(self.first_row, number * layout.size)
        row = kernel.add(kernel.add(first, start), self.row)
        kernel.if_(inside(kernel, row, "m", layout.tile_m), lambda: store_run(row, run))

    def _fill(self, fragments: list[ir.Value]) -> None:
        kernel, layout = self.product.kernel, self.product.layout
        buffer, pitch = self.product.buffer, layout.strip_pitch
        row, column = self.product.subgroup
        number = kernel.add(kernel.mul(row, layout.subgroups_n), column)
        first = kernel.mul(number, layout.strip_quads)
        for j, fragment in enumerate(fragments):
            at = kernel.value(kernel.add(first, j * layout.size // RUN))
            gpu.subgroup_mma_store_matrix(fragment, buffer.memref, [at], pitch)
