# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planes of sums between two dispatches, row-major [plane][batch][m][n]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Kernel, Tile
from .memory import RUN
from .store import Epilogue, inside, vectors


def store_sums(
    tile: Tile,
    plane: Index,
    rows: Sequence[Index],
    columns: Sequence[Index],
    sums: Sequence[ir.Value],
) -> None:
    """Stores an invocation's sums inside C; `plane` counts planes and batches.

    Columns come in runs of neighbors that are as long as the kernel's vectors.
    """
    kernel, scratch = tile.kernel, tile.kernel.bound.scratch
    assert scratch is not None
    first = kernel.mul(plane, kernel.m)
    values = iter(vectors(sums, kernel.width))
    for row in (kernel.add(tile.first_row, r) for r in rows):
        start = kernel.mul(kernel.add(first, row), kernel.n)
        starts = columns[:: kernel.width]
        for column in (kernel.add(tile.first_column, c) for c in starts):
            conditions = inside(kernel, row, "m", tile.rows)
            conditions += inside(kernel, column, "n", tile.columns)
            offset = kernel.add(start, column)
            value = next(values)
            kernel.if_(conditions, partial(scratch.store, value, offset))


def sum_planes(kernel: Kernel, planes: int) -> None:
    """Four elements of C an invocation: adds their planes in order, then the epilogue.

    They are neighbors where C is stored in vectors.
    """
    parts = RUN // kernel.width
    start = kernel.mul(kernel.workgroup_id(0), kernel.threads * parts)
    start = kernel.add(start, kernel.thread_id)
    length = kernel.mul(kernel.mul(kernel.m, kernel.n), kernel.batches)
    count = kernel.div(length, kernel.width)
    is_whole = isinstance(count, int) and count % (kernel.threads * parts) == 0
    for part in range(parts):
        slot = kernel.add(start, part * kernel.threads)
        kernel.if_(
            [] if is_whole else [kernel.less(slot, count)],
            partial(_sum_slot, kernel, slot, count, planes),
        )


def _sum_slot(kernel: Kernel, slot: Index, count: Index, planes: int) -> None:
    """Joins the planes' slots of this number; `count` is the slots of a plane."""
    scratch = kernel.bound.scratch
    assert scratch is not None
    slots = [kernel.add(slot, kernel.mul(count, plane)) for plane in range(planes)]
    total, *others = map(scratch.load_slot, slots)
    for other in others:
        total = kernel.plus(total, other)
    element = kernel.mul(slot, kernel.width)
    column = kernel.rem(element, kernel.n)
    row = kernel.div(element, kernel.n)
    batch = kernel.indices("batch", kernel.div(row, kernel.m))
    Epilogue(kernel, batch, column).store(kernel.rem(row, kernel.m), total)
