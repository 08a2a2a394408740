# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies the epilogue to sums in registers and stores what lies inside C."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from iree_gemm.problem import ZERO

from .arithmetic import Index
from .elementwise import inline
from .kernel import Kernel
from .memory import Buffer
from .operands import Indices


def store_outputs(
    kernel: Kernel,
    rows: Sequence[Index],
    columns: Sequence[Index],
    sums: Sequence[ir.Value],
) -> None:
    """Stores sums[i * len(columns) + j] at row rows[i], column columns[j] of the tile.

    Extras that depend on the column alone are loaded once, before any row.
    """
    at = [kernel.add(kernel.first_column, column) for column in columns]
    shared = [_column_extras(kernel, column) for column in at]

    def store_row(row: Index, row_sums: Sequence[ir.Value]) -> None:
        outer = {**kernel.batch, **kernel.indices("m", row)}
        for j, column in enumerate(at):
            indices = {**outer, **kernel.indices("n", column)}

            def body(j: int = j, indices: Indices = indices) -> None:
                _store(kernel, indices, row_sums[j], shared[j])

            kernel.if_(_inside(kernel, column, "n", kernel.tile_n), body)

    for i, row in enumerate(rows):
        row = kernel.add(kernel.first_row, row)
        row_sums = sums[i * len(at) : (i + 1) * len(at)]
        kernel.if_(
            _inside(kernel, row, "m", kernel.tile_m),
            lambda row=row, row_sums=row_sums: store_row(row, row_sums),
        )


def _inside(kernel: Kernel, index: Index, kind: str, tile: int) -> list[ir.Value]:
    """The conditions under which an index is inside C; none where tiles divide it."""
    size = kernel.problem.size_of(kind)
    if size.is_multiple_of(tile):
        return []
    return [kernel.less(index, kernel.size(size))]


def _column_extras(kernel: Kernel, column: Index) -> dict[int, ir.Value]:
    """Extras whose only moving axes are batch and n, at the clamped column."""
    loaded: dict[int, ir.Value] = {}
    inside = kernel.min(column, kernel.sub(kernel.n, 1))
    indices = {**kernel.batch, **kernel.indices("n", inside)}
    rows = kernel.problem.axes_of("m")
    for number, extra in enumerate(kernel.extras.inputs):
        if not isinstance(extra.source, Buffer):
            loaded[number] = extra.source
        elif all(extra.operand.strides[axis] == ZERO for axis in rows):
            offset = kernel.sizes.offset(extra.operand, indices)
            loaded[number] = extra.source.load(
                kernel.add(extra.operand.offset, offset)
            )
    return loaded


def _store(
    kernel: Kernel, indices: Indices, total: ir.Value, shared: dict[int, ir.Value]
) -> None:
    extras = [
        shared[n] if n in shared else _load(kernel, n, indices)
        for n in range(len(kernel.extras.inputs))
    ]
    values = inline(kernel.op.epilogue_block, [total, *extras])
    for value, result in zip(values, kernel.results, strict=True):
        offset = kernel.sizes.offset(result.operand, indices)
        assert isinstance(result.source, Buffer)
        result.source.store(value, kernel.add(result.operand.offset, offset))


def _load(kernel: Kernel, number: int, indices: Indices) -> ir.Value:
    extra = kernel.extras.inputs[number]
    assert isinstance(extra.source, Buffer)
    offset = kernel.sizes.offset(extra.operand, indices)
    return extra.source.load(kernel.add(extra.operand.offset, offset))
