# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planes of sums between two dispatches, row-major [plane][batch][m][n]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Kernel, Tile
from .store import Epilogue, inside


def store_sums(
    tile: Tile,
    plane: Index,
    rows: Sequence[Index],
    columns: Sequence[Index],
    sums: Sequence[ir.Value],
) -> None:
    """Stores an invocation's sums inside C; `plane` counts planes and batches."""
    kernel, scratch = tile.kernel, tile.kernel.bound.scratch
    assert scratch is not None
    first = kernel.mul(plane, kernel.m)
    values = iter(sums)
    for row in (kernel.add(tile.first_row, r) for r in rows):
        start = kernel.mul(kernel.add(first, row), kernel.n)
        for column in (kernel.add(tile.first_column, c) for c in columns):
            conditions = inside(kernel, row, "m", tile.rows)
            conditions += inside(kernel, column, "n", tile.columns)
            offset = kernel.add(start, column)
            value = next(values)
            kernel.if_(conditions, partial(scratch.store, value, offset))


def sum_planes(kernel: Kernel, planes: int) -> None:
    """One element of C an invocation: adds its planes in order, then the epilogue."""
    scratch = kernel.bound.scratch
    assert scratch is not None
    start = kernel.mul(kernel.workgroup_id(0), kernel.threads)
    element = kernel.add(start, kernel.thread_id)
    length = kernel.mul(kernel.mul(kernel.m, kernel.n), kernel.batches)

    def body() -> None:
        total = scratch.load(element)
        for plane in range(1, planes):
            offset = kernel.add(element, kernel.mul(length, plane))
            total = kernel.plus(total, scratch.load(offset))
        column = kernel.rem(element, kernel.n)
        row = kernel.div(element, kernel.n)
        batch = kernel.indices("batch", kernel.div(row, kernel.m))
        Epilogue(kernel, batch, column).store(kernel.rem(row, kernel.m), total)

    whole = isinstance(length, int) and length % kernel.threads == 0
    kernel.if_([] if whole else [kernel.less(element, length)], body)
