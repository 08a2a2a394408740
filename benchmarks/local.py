# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ours beside stock on the machine at hand, software Vulkan for one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks import compile_time
from benchmarks.build import Builder
from benchmarks.compiler import Compiler
from benchmarks.results import Results, times_as_fast
from benchmarks.sets import SETS

SET = "shapes"
# Never much slower than the stock compiler, whatever the shape.
_LEAST_RATIO = 0.9


def build(target: str, root: Path) -> Path:
    """Compiles the shapes of the tests and MiniLM; the folder that holds them."""
    folder, chosen = root / f"{target}-{SET}", SETS[SET]
    builder = Builder(Compiler(target, root / "compiler"), folder, chosen.speed)
    builder.build(chosen.jobs(builder.tools))
    return folder


def summary(results: Results) -> Iterator[str]:
    """A line for each product and network: how many times as fast as stock."""
    ratios = {c.case.name: c.ratio(c.stock) for c in results.comparisons}
    for title, found in results.networks.items():
        ratios[title] = times_as_fast(found)
    for name, ratio in ratios.items():
        yield f"{name}: {_judged(ratio)}"
    yield f"geometric mean: {_mean(r for r in ratios.values() if r):.2f}"


def compile_line(target: str, folder: Path) -> str:
    """What the plugin adds to the compilation of MiniLM."""
    ours, stock = compile_time.measure(target, folder)
    added = ours.processor - stock.processor
    return (
        f"compiling MiniLM: {ours.processor:.2f} s of processor time with the plugin,"
        f" {stock.processor:.2f} s without: {added:.2f} s more"
        f" (wall {ours.wall:.2f} and {stock.wall:.2f} s)"
    )


def _judged(ratio: float | None) -> str:
    if ratio is None:
        return "no ratio: one of them fails, or both take no time"
    slow = "" if ratio >= _LEAST_RATIO else f", below {_LEAST_RATIO}"
    return f"{ratio:.2f} times as fast as stock{slow}"


def _mean(ratios: Iterable[float]) -> float:
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
