# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of additions over k that the portable kernels share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Kernel

Step = Callable[[ir.Value, list[ir.Value], bool], list[ir.Value]]
"""Adds one k step to the sums: (first k, sums, whether the step is partial)."""


@dataclass(frozen=True)
class SumOverK:
    """`count` sums over all of k in steps of `tile_k`, of `tail` where that is partial.

    Terms are chained in increasing k; every `chain` terms join the total.
    """

    kernel: Kernel
    tile_k: int
    chain: int
    count: int
    step: Step
    tail: int

    def totals(self) -> list[ir.Value]:
        kernel = self.kernel
        zeros = [kernel.zero()] * self.count
        if isinstance(kernel.k, int) and kernel.k <= self.chain:
            return self._chained(0, kernel.k, zeros)

        def join(start: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
            end = kernel.min(kernel.add(start, self.chain), kernel.k)
            sums = self._chained(start, end, zeros)
            return [kernel.plus(t, s) for t, s in zip(totals, sums, strict=True)]

        return kernel.loop((0, kernel.k, self.chain), zeros, join)

    def _chained(
        self, start: Index, end: Index, sums: list[ir.Value]
    ) -> list[ir.Value]:
        """Whole steps, then the partial one where k does not divide."""
        kernel = self.kernel
        whole = kernel.sub(end, kernel.rem(kernel.sub(end, start), self.tile_k))
        if kernel.problem.k.is_multiple_of(self.tile_k):
            whole = end
        sums = kernel.loop(
            (start, whole, self.tile_k), sums, lambda k, s: self.step(k, s, False)
        )
        if whole is end:
            return sums
        return kernel.loop(
            (whole, end, self.tail), sums, lambda k, s: self.step(k, s, True)
        )


def outer_product(
    kernel: Kernel, a: list[ir.Value], b: list[ir.Value], sums: list[ir.Value]
) -> list[ir.Value]:
    """`sums[i * len(b) + j] + a[i] * b[j]` for every pair."""
    pairs = [(x, y) for x in a for y in b]
    return [
        kernel.multiply_add(x, y, total)
        for (x, y), total in zip(pairs, sums, strict=True)
    ]
