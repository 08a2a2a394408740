# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads a side of the product from its tensors into registers, without staging."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Tile
from .operands import Elements, product_element


class DirectSide:
    """What an invocation multiplies of a side: `positions` are its rows or columns.

    Positions outside the matrix repeat its last ones: what they add is never stored.
    With vectors along m or n, the positions are whole runs of the vector's width.
    """

    def __init__(self, owner: Tile, side: str, positions: Sequence[Index]) -> None:
        self.kernel = kernel = owner.kernel
        self.elements: Elements = kernel.bound.elements[side]
        self.block: ir.Block = getattr(kernel.op, f"{side}_block")
        kind = "m" if side == "lhs" else "n"
        first = owner.first_row if side == "lhs" else owner.first_column
        extent = kernel.m if side == "lhs" else kernel.n
        unit = self.elements.unit
        self.along_k = unit is not None and kernel.problem.axes[unit].kind == "k"
        self.run = 1 if self.along_k else self.elements.width
        last = kernel.sub(extent, self.run)
        self.bases = []
        for position in positions[:: self.run]:
            index = kernel.min(kernel.add(first, position), last)
            indices = {**owner.batch_indices, **kernel.indices(kind, index)}
            self.bases.append(self.elements.offsets(indices))

    def load(self, k: Index, count: int) -> list[list[ir.Value]]:
        """For each of `count` terms from `k` on, the element at every position."""
        width = self.elements.width if self.along_k else 1
        if width > 1 and count % width == 0:
            loaded = [
                [self._elements_at(k, base, n) for base in self.bases]
                for n in range(0, count, width)
            ]
            return [[run[kk] for run in runs] for runs in loaded for kk in range(width)]
        return [
            [e for base in self.bases for e in self._elements_at(k, base, kk)]
            for kk in range(count)
        ]

    def _elements_at(self, k: Index, base: list[Index], ahead: int) -> list[ir.Value]:
        kernel = self.kernel
        indices = kernel.indices("k", kernel.add(k, ahead))
        offsets = self.elements.offsets(indices, base)
        value = product_element(self.elements, self.block, offsets, kernel.accumulator)
        return kernel.elements(value)
