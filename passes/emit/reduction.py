# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of additions over k that the portable kernels share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iree.compiler import ir

from .arithmetic import Index
from .kernel import Kernel

Step = Callable[[Index, list[ir.Value], bool], list[ir.Value]]
"""Adds one k step to the sums: (first k, sums, whether the step is partial)."""


@dataclass(frozen=True)
class Steps:
    """Terms a step adds, a step of the partial rest adds, and a chain holds."""

    whole: int
    partial: int
    chain: int


def sum_over_k(
    kernel: Kernel,
    steps: Steps,
    k_range: tuple[Index, Index],
    count: int,
    step: Step,
) -> list[ir.Value]:
    """`count` sums over a range of k that starts at a multiple of the step.

    Terms are chained in increasing k; every `chain` terms join the total.
    """
    first, last = k_range
    zeros = [kernel.zero()] * count
    length = kernel.sub(last, first)
    if isinstance(length, int) and length <= steps.chain:
        return _chained(kernel, steps, k_range, zeros, step)

    def join(start: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
        end = kernel.min(kernel.add(start, steps.chain), last)
        sums = _chained(kernel, steps, (start, end), zeros, step)
        return [kernel.plus(t, s) for t, s in zip(totals, sums, strict=True)]

    return kernel.loop((first, last, steps.chain), zeros, join)


def outer_product(
    kernel: Kernel, a: list[ir.Value], b: list[ir.Value], sums: list[ir.Value]
) -> list[ir.Value]:
    """`sums[i * len(b) + j] + a[i] * b[j]` for every pair."""
    pairs = [(x, y) for x in a for y in b]
    return [
        kernel.multiply_add(x, y, total)
        for (x, y), total in zip(pairs, sums, strict=True)
    ]


def _chained(
    kernel: Kernel,
    steps: Steps,
    k_range: tuple[Index, Index],
    sums: list[ir.Value],
    step: Step,
) -> list[ir.Value]:
    """Whole steps, then the partial rest where k does not divide."""
    first, last = k_range
    if kernel.problem.k.is_multiple_of(steps.whole):
        bounds = (first, last, steps.whole)
        return kernel.loop(bounds, sums, lambda k, s: step(k, s, False))
    whole = kernel.sub(last, kernel.rem(kernel.sub(last, first), steps.whole))
    sums = kernel.loop(
        (first, whole, steps.whole), sums, lambda k, s: step(k, s, False)
    )
    return kernel.loop(
        (whole, last, steps.partial), sums, lambda k, s: step(k, s, True)
    )
