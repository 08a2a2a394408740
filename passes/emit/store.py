# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies the epilogue to sums in registers and stores what lies inside C."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from iree.compiler import ir
from iree.compiler.dialects import vector

from iree_gemm.problem import ZERO

from .arithmetic import Index
from .elementwise import inline
from .kernel import Kernel, Tile
from .memory import Buffer
from .operands import Indices, Input


def store_outputs(
    tile: Tile,
    rows: Sequence[Index],
    columns: Sequence[Index],
    sums: Sequence[ir.Value],
) -> None:
    """Stores sums[i * len(columns) + j] at row rows[i], column columns[j] of the tile.

    Columns come in runs of the kernel's width. Extras that depend on the column alone
    are loaded once, before any row.
    """
    kernel = tile.kernel
    starts = columns[:: kernel.width]
    at = [kernel.add(tile.first_column, column) for column in starts]
    epilogues = [Epilogue(kernel, tile.batch_indices, column) for column in at]
    runs = vectors(sums, kernel.width)

    def store_row(row: Index, row_sums: Sequence[ir.Value]) -> None:
        for column, epilogue, total in zip(at, epilogues, row_sums, strict=True):
            kernel.if_(
                inside(kernel, column, "n", tile.columns),
                partial(epilogue.store, row, total),
            )

    for i, row in enumerate(rows):
        row = kernel.add(tile.first_row, row)
        row_sums = runs[i * len(at) : (i + 1) * len(at)]
        kernel.if_(
            inside(kernel, row, "m", tile.rows),
            partial(store_row, row, row_sums),
        )


def vectors(sums: Sequence[ir.Value], width: int) -> list[ir.Value]:
    """The sums in vectors of neighbors; as they are where the width is 1."""
    if width == 1:
        return list(sums)
    type_ = ir.VectorType.get([width], sums[0].type)
    starts = range(0, len(sums), width)
    return [vector.from_elements(type_, sums[n : n + width]) for n in starts]


def inside(kernel: Kernel, index: Index, kind: str, tile: int) -> list[ir.Value]:
    """The conditions under which an index is inside C; none where tiles divide it."""
    size = kernel.problem.size_of(kind)
    if size.is_multiple_of(tile):
        return []
    return [kernel.less(index, kernel.size(size))]


class Epilogue:
    """What happens to the sums of a run of columns of C."""

    def __init__(self, kernel: Kernel, batch: Indices, column: Index) -> None:
        self.kernel = kernel
        self.indices = {**batch, **kernel.indices("n", column)}
        clamped = kernel.min(column, kernel.sub(kernel.n, kernel.width))
        self.shared = self._load_shared({**batch, **kernel.indices("n", clamped)})

    def store(self, row: Index, total: ir.Value) -> None:
        """Applies the epilogue to a sum and stores the results."""
        kernel = self.kernel
        indices = {**self.indices, **kernel.indices("m", row)}
        extras = [
            self.shared[n] if n in self.shared else self._load(extra, indices)
            for n, extra in enumerate(kernel.bound.elements["extras"].inputs)
        ]
        values = inline(
            kernel.op.epilogue_block, [total, *extras], is_wide=kernel.is_wide
        )
        for value, result in zip(values, kernel.bound.results, strict=True):
            assert isinstance(result.source, Buffer)
            result.source.store(value, self._offset(result, indices))

    def _load_shared(self, indices: Indices) -> dict[int, ir.Value]:
        """The extras that do not move along m."""
        rows = self.kernel.problem.axes_of("m")
        return {
            number: self._load(extra, indices)
            for number, extra in enumerate(self.kernel.bound.elements["extras"].inputs)
            if all(extra.operand.strides[axis] == ZERO for axis in rows)
        }

    def _load(self, extra: Input, indices: Indices) -> ir.Value:
        if not isinstance(extra.source, Buffer):
            return extra.source
        return extra.source.load(self._offset(extra, indices))

    def _offset(self, tensor: Input, indices: Indices) -> Index:
        return self.kernel.sizes.element(tensor.operand, indices)
