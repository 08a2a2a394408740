# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments of C on their way to memory: whole ones straight, others in strips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from iree.compiler import ir
from iree.compiler.dialects import gpu

from iree_gemm.problem import ONE

from .arithmetic import Index
from .fragment_strips import StoreRun, store_strips
from .fragments import FragmentProduct
from .kernel import Kernel
from .memory import RUN, Buffer
from .store import Epilogue, inside


@dataclass(frozen=True)
class Rows:
    """Rows of 32-bit elements in memory, `pitch` slots apart, in slots of `width`."""

    memref: ir.Value
    pitch: int
    width: int


def store_product(product: FragmentProduct, sums: list[ir.Value]) -> None:
    """Applies the epilogue to fragments and stores what lies inside C."""
    kernel = product.kernel
    if not _is_plain(kernel):
        store_strips(product, sums, lambda column: epilogue_of(product, column))
        return
    (result,) = kernel.bound.results
    assert isinstance(result.source, Buffer)
    (m,), (n,) = kernel.problem.axes_of("m"), kernel.problem.axes_of("n")
    pitch = result.operand.strides[m].static
    assert pitch is not None
    target = Rows(result.source.memref, pitch // kernel.width, kernel.width)

    def offset(row: Index, column: Index) -> Index:
        indices = {**product.owner.batch_indices, m: row, n: column}
        return kernel.sizes.element(result.operand, indices)

    kernel.if_(
        whole_tile(product),
        lambda: store_whole(product, sums, target, offset),
        lambda: store_strips(product, sums, lambda c: epilogue_of(product, c)),
    )


def _is_plain(kernel: Kernel) -> bool:
    """Whether C is the sums, in rows that fragments can be stored to."""
    problem, block = kernel.problem, kernel.op.epilogue_block
    (terminator, *more) = block.operations
    if more or list(terminator.operands) != [block.arguments[0]]:
        return False
    (result,) = problem.results
    rows, columns = problem.axes_of("m"), problem.axes_of("n")
    return (
        kernel.width == RUN
        and len(rows) == len(columns) == 1
        and result.strides[columns[0]] == ONE
        and result.strides[rows[0]].static is not None
    )


def store_plane(product: FragmentProduct, sums: list[ir.Value], plane: Index) -> None:
    """Stores sums in scratch; `plane` counts planes and batches."""
    kernel, scratch = product.kernel, product.kernel.bound.scratch
    assert scratch is not None
    first = kernel.mul(plane, kernel.m)

    def offset(row: Index, column: Index) -> Index:
        return kernel.add(kernel.mul(kernel.add(first, row), kernel.n), column)

    def store_element(row: Index, column: Index, element: ir.Value) -> None:
        scratch.store(element, offset(row, column))

    def store_run(column: Index, row: Index, run: ir.Value) -> None:
        for n, element in enumerate(kernel.elements(run)):
            at = kernel.add(column, n)
            conditions = inside(kernel, at, "n", product.owner.columns)
            kernel.if_(conditions, partial(store_element, row, at, element))

    def in_strips() -> None:
        store_strips(product, sums, lambda column: partial(store_run, column))

    if not isinstance(kernel.n, int) or kernel.n % RUN:
        in_strips()
        return
    target = Rows(scratch.memref, kernel.n, 1)
    kernel.if_(
        whole_tile(product),
        lambda: store_whole(product, sums, target, offset),
        in_strips,
    )


def whole_tile(product: FragmentProduct) -> list[ir.Value]:
    """The conditions under which no part of the tile is outside C."""
    kernel, owner = product.kernel, product.owner
    row = kernel.add(owner.first_row, owner.rows - 1)
    column = kernel.add(owner.first_column, owner.columns - 1)
    return inside(kernel, row, "m", owner.rows) + inside(
        kernel, column, "n", owner.columns
    )


def store_whole(
    product: FragmentProduct,
    sums: list[ir.Value],
    target: Rows,
    offset: Callable[[Index, Index], Index],
) -> None:
    """Stores fragments as they are; `offset` is in elements, by row and column."""
    kernel, layout, owner = product.kernel, product.layout, product.owner
    subgroup_row, subgroup_column = product.subgroup
    row = kernel.add(owner.first_row, kernel.mul(subgroup_row, layout.rows))
    column = kernel.mul(subgroup_column, layout.columns)
    column = kernel.add(owner.first_column, column)
    slot = kernel.div(offset(row, column), target.width)
    size = layout.size
    across = layout.columns // size
    for number, fragment in enumerate(sums):
        i, j = divmod(number, across)
        ahead = i * size * target.pitch + j * size // target.width
        at = kernel.value(kernel.add(slot, ahead))
        gpu.subgroup_mma_store_matrix(fragment, target.memref, [at], target.pitch)


def epilogue_of(product: FragmentProduct, column: Index) -> StoreRun:
    """Applies the epilogue to a run of columns, in vectors or one at a time."""
    kernel, owner = product.kernel, product.owner
    columns = [kernel.add(column, n) for n in range(0, RUN, kernel.width)]
    epilogues = [Epilogue(kernel, owner.batch_indices, c) for c in columns]

    def store(row: Index, run: ir.Value) -> None:
        parts = [run] if kernel.width == RUN else kernel.elements(run)
        for c, epilogue, part in zip(columns, epilogues, parts, strict=True):
            is_inside = inside(kernel, c, "n", owner.columns)
            kernel.if_(is_inside, partial(epilogue.store, row, part))

    return store
