# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of additions over k that the portable kernels share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Kernel

Step = Callable[[Index, list[ir.Value], bool], list[ir.Value]]
"""Adds one k step to carried values: (first k, values, whether it is partial)."""


@dataclass(frozen=True)
class SumOverK:
    """`count` sums over a range of k that starts at a multiple of the step.

    Terms are chained in increasing k; every `chain` terms join the total, where zero
    means that all are one chain. A step adds `whole` terms, and `partial` ones in the
    rest that does not divide.
    """

    kernel: Kernel
    whole: int
    partial: int
    chain: int
    count: int

    def over(
        self, k_range: tuple[Index, Index], step: Step, state: list[ir.Value]
    ) -> list[ir.Value]:
        """The sums; `state` is what steps carry besides them."""
        kernel, (first, last) = self.kernel, k_range
        zeros = [kernel.zero()] * self.count
        length = kernel.sub(last, first)
        if not self.chain or (isinstance(length, int) and length <= self.chain):
            return self._chained(k_range, [*zeros, *state], step)[: self.count]

        def join(start: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            totals, state = carried[: self.count], carried[self.count :]
            end = kernel.min(kernel.add(start, self.chain), last)
            chained = self._chained((start, end), [*zeros, *state], step)
            pairs = zip(totals, chained, strict=False)
            return [*(kernel.plus(*pair) for pair in pairs), *chained[self.count :]]

        bounds = (first, last, self.chain)
        return kernel.loop(bounds, [*zeros, *state], join)[: self.count]

    def _chained(
        self, k_range: tuple[Index, Index], carried: list[ir.Value], step: Step
    ) -> list[ir.Value]:
        """Whole steps, then the partial rest where k does not divide."""
        kernel, (first, last) = self.kernel, k_range
        if kernel.problem.k.is_multiple_of(self.whole):
            bounds = (first, last, self.whole)
            return kernel.loop(bounds, carried, lambda k, c: step(k, c, False))
        whole = kernel.sub(last, kernel.rem(kernel.sub(last, first), self.whole))
        bounds = (first, whole, self.whole)
        carried = kernel.loop(bounds, carried, lambda k, c: step(k, c, False))
        bounds = (whole, last, self.partial)
        return kernel.loop(bounds, carried, lambda k, c: step(k, c, True))


def outer_product(
    kernel: Kernel, a: list[ir.Value], b: list[ir.Value], sums: list[ir.Value]
) -> list[ir.Value]:
    """`sums[i * len(b) + j] + a[i] * b[j]` for every pair."""
    pairs = [(x, y) for x in a for y in b]
    return [
        kernel.multiply_add(x, y, total)
        for (x, y), total in zip(pairs, sums, strict=True)
    ]


def unrolled(
    kernel: Kernel,
    bounds: tuple[int, int, int],
    carried: list[ir.Value],
    body: Callable[[Index, list[ir.Value]], list[ir.Value]],
) -> list[ir.Value]:
    """`for i in range(first, last)`, written out `bounds[2]` at a time."""
    first, last, factor = bounds

    def block(start: Index, carried: list[ir.Value]) -> list[ir.Value]:
        for n in range(factor):
            carried = body(kernel.add(start, n), carried)
        return carried

    if last - first == factor:
        return block(first, carried)
    return kernel.loop(bounds, carried, block)
