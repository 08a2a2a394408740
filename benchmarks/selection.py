# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what is chosen with the fastest strategy that was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.results import Comparison, seconds

TOLERANCE = 0.05


def violations(
    comparisons: Iterable[Comparison], tolerance: float = TOLERANCE
) -> Iterator[str]:
    """A line for each product on which another strategy is faster by more.

    By more than the spread of their times too.
    """
    for comparison in comparisons:
        auto, best = comparison.auto, comparison.best
        time = seconds(auto)
        if best is None or auto is None:
            yield f"{comparison.case.name}: none of ours gave the right result"
            continue
        where, fastest = comparison.case.name, f"{best['strategy']} {_us(best)}"
        if time is None:
            yield f"{where}: {auto['strategy']} fails, {fastest}"
        elif time > best["seconds"] * (1 + tolerance) and auto["low"] > best["high"]:
            loss = time / best["seconds"] - 1
            yield f"{where}: {auto['strategy']} {_us(auto)}, {fastest}: {loss:.0%} more"


def _us(row: dict) -> str:
    return f"{row['seconds'] * 1e6:.1f} us"
