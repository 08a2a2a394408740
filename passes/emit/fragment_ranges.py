# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of k in fragments: each sums into a plane of scratch of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iree.compiler import ir

from .arithmetic import Index
from .fragment_layout import Layout
from .fragment_store import store_plane
from .fragments import FragmentProduct
from .kernel import Kernel, Tile


@dataclass(frozen=True)
class KRange:
    """One of `count` ranges, as the third dimension of the grid numbers them."""

    owner: Tile
    layout: Layout
    number: Index
    count: int

    @staticmethod
    def of_workgroup(kernel: Kernel, layout: Layout, count: int) -> KRange:
        number = kernel.rem(kernel.workgroup_id(2), count)
        batch = kernel.div(kernel.workgroup_id(2), count)
        owner = Tile.of_batch(kernel, layout.tile_m, layout.tile_n, batch)
        return KRange(owner, layout, number, count)

    def store(
        self,
        product: FragmentProduct,
        sum_steps: Callable[[tuple[Index, Index]], list[ir.Value]],
    ) -> None:
        """Sums the range and stores it in its plane.

        The terms of the last, partial step belong to the last range; in the others it
        is a step beyond k, all of whose terms are zero.
        """
        kernel = product.kernel
        whole = kernel.div(kernel.k, self.layout.tile_k)
        each = kernel.ceildiv(whole, self.count)
        first = kernel.mul(self.number, each)
        sums = sum_steps((first, kernel.min(kernel.add(first, each), whole)))
        if not kernel.problem.k.is_multiple_of(self.layout.tile_k):
            is_last = kernel.less(self.count - 2, self.number)
            tail = kernel.select(is_last, whole, kernel.add(whole, 1))
            sums = product.with_tail(tail, sums)
        plane = kernel.mul(self.number, kernel.batches)
        store_plane(product, sums, kernel.add(plane, self.owner.batch))
