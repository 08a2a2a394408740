# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of a run: roofline, speed-up over stock, time by rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.results import Comparison, Results, Row, seconds

_COLORS = {"ours": "#1b6ca8", "stock": "#b0482f", "cublas": "#6a8f3c"}
_LABELS = {"ours": "iree-gemm", "stock": "stock IREE", "cublas": "cuBLAS"}
_MARKS = {"f32": "o", "f16": "s", "bf16": "^", "i8": "v"}
_STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "grid.alpha": 0.25,
    "svg.hashsalt": "iree-gemm",
}


def draw_all(results: Results, folder: Path) -> list[str]:
    """Draws what the results have rows for; returns the files for the report."""
    drawings: dict[str, Callable[[Results], Any]] = {
        "throughput": _throughput,
        "speed-up": _speed_up,
        "small-m": _small_m,
        "roofline": _roofline,
    }
    names = []
    with plt.style.context(_STYLE):
        for name, draw in drawings.items():
            figure = draw(results)
            if figure is None:
                continue
            for end in ("svg", "png"):
                figure.savefig(folder / f"{name}.{end}", dpi=150, bbox_inches="tight")
            plt.close(figure)
            names.append(f"{name}.svg")
    return names


def _rows(c: Comparison) -> dict[str, Row | None]:
    return {"ours": c.auto, "stock": c.stock, "cublas": c.cublas}


def _throughput(results: Results) -> Any:
    """Square products, a panel a type: bars of ours, stock and cuBLAS."""
    group = [c for c in results.group("sweep") if c.case.type in ("f32", "f16", "bf16")]
    types = list(dict.fromkeys(c.case.type for c in group))
    if not types:
        return None
    figure, grid = plt.subplots(
        1, len(types), figsize=(3.2 * len(types), 3.2), squeeze=False
    )
    for axes, type_ in zip(grid[0], types, strict=True):
        cases = sorted(
            (c for c in group if c.case.type == type_), key=lambda c: c.case.m
        )
        _draw_bars(axes, cases)
        axes.set_xticks(range(len(cases)), [str(c.case.m) for c in cases])
        axes.set(title=type_, xlabel="M = N = K")
        axes.grid(False, axis="x")
    grid[0][0].set_ylabel("TFLOP/s")
    figure.suptitle(results.head["device"])
    figure.tight_layout()
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, frameon=False, ncols=3, fontsize=8, loc="upper right"
    )
    return figure


def _draw_bars(axes: Any, cases: list[Comparison]) -> None:
    width = 0.27
    for number, (who, color) in enumerate(_COLORS.items()):
        for place, case in enumerate(cases):
            row, at = _rows(case)[who], place + (number - 1) * width
            time = seconds(row)
            label = _LABELS[who] if place == 0 else None
            height = case.case.flops / time / 1e12 if time else 0
            axes.bar(at, height, width, color=color, label=label)
            if row is not None and not time:
                axes.text(
                    at, 0, " fails", rotation=90, ha="center", va="bottom", fontsize=6
                )


def _roofline(results: Results) -> Any:
    rates = results.limits.rates
    if "copy" not in rates or not results.comparisons:
        return None
    figure, axes = plt.subplots(figsize=(8, 5))
    intensity = np.logspace(-1, 4, 200)
    for name, label in (("fma", "FMA"), ("mma", "matrix units")):
        if name in rates:
            roof = np.minimum(rates[name], intensity * rates["copy"])
            axes.plot(intensity, roof / 1e12, "-", color="0.5", linewidth=1)
            axes.annotate(label, (1e4, rates[name] / 1e12), ha="right", va="bottom")
    for who, color in _COLORS.items():
        for type_, mark in _MARKS.items():
            points = _points(results.comparisons, who, type_)
            if points:
                label = f"{_LABELS[who]}, {type_}"
                axes.plot(
                    *zip(*points, strict=True),
                    mark,
                    color=color,
                    label=label,
                    alpha=0.7,
                    markersize=4,
                )
    axes.set(
        xscale="log",
        yscale="log",
        ylabel="TFLOP/s",
        xlabel="operations a byte of memory traffic, at the least",
    )
    axes.legend(fontsize=7, ncols=3, frameon=False)
    axes.set_title(
        f"{results.head['device']}: products against the limits of the device"
    )
    return figure


def _points(
    comparisons: Iterable[Comparison], who: str, type_: str
) -> list[tuple[float, float]]:
    found = []
    for c in comparisons:
        time = seconds(_rows(c)[who])
        if c.case.type == type_ and time:
            found.append((c.case.flops / c.case.bytes, c.case.flops / time / 1e12))
    return found


def _speed_up(results: Results) -> Any:
    """A bar a product: time of stock over ours; an open one where stock fails."""
    shown = [c for c in results.comparisons if seconds(c.auto) and c.stock is not None]
    if not shown:
        return None
    figure, axes = plt.subplots(figsize=(8, 0.16 * len(shown) + 1))
    places = np.arange(len(shown))[::-1]
    ratios = [c.ratio(c.stock) for c in shown]
    widest = max([r for r in ratios if r] or [2.0])
    for place, ratio in zip(places, ratios, strict=True):
        if ratio is None:
            axes.text(
                1.05,
                place,
                "stock fails",
                va="center",
                fontsize=6,
                color=_COLORS["stock"],
            )
        else:
            axes.barh(place, ratio - 1, left=1, color=_COLORS["ours"], height=0.7)
            axes.text(
                ratio * 1.03 if ratio > 1 else 1.03,
                place,
                f"{ratio:.2f}",
                va="center",
                fontsize=6,
            )
    axes.set_yticks(places, [c.case.name for c in shown], fontsize=6)
    axes.set(
        xscale="log",
        xlim=(min([r for r in ratios if r] + [1.0]) * 0.8, widest * 1.4),
        ylim=(-1, len(shown)),
        xlabel="times as fast as stock IREE",
    )
    axes.axvline(1, color="0.3", linewidth=1)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_title(f"{results.head['device']}: speed-up over stock IREE")
    return figure


def _small_m(results: Results) -> Any:
    group = results.group("small-m")
    types = sorted({c.case.type for c in group}, reverse=True)
    if not types:
        return None
    figure, grid = plt.subplots(
        1, len(types), figsize=(4.2 * len(types), 3.8), squeeze=False, sharey=True
    )
    for axes, type_ in zip(grid[0], types, strict=True):
        cases = [c for c in group if c.case.type == type_]
        _draw_strategies(axes, cases)
        for who, color in _COLORS.items():
            points = [(c.case.m, seconds(_rows(c)[who])) for c in cases]
            points = [(m, t * 1e6) for m, t in points if t]
            if points:
                axes.plot(
                    *zip(*points, strict=True),
                    "o-",
                    color=color,
                    markersize=3,
                    label=_LABELS[who],
                )
        axes.set(xscale="log", yscale="log", xlabel="rows of A (M)", title=type_)
        axes.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
        axes.legend(fontsize=7, frameon=False)
    grid[0][0].set_ylabel("us, N = K = 4096")
    figure.suptitle(results.head["device"])
    return figure


def _draw_strategies(axes: Any, cases: list[Comparison]) -> None:
    """Each of ours as a thin line, so that a cliff of the choice would be seen."""
    for name in sorted({name for c in cases for name in c.ours}):
        points = [(c.case.m, seconds(c.ours.get(name))) for c in cases]
        points = [(m, t * 1e6) for m, t in points if t]
        if points:
            axes.plot(
                *zip(*points, strict=True),
                "-",
                color=_COLORS["ours"],
                alpha=0.3,
                linewidth=1,
            )
            axes.annotate(
                name, points[-1], fontsize=6, color=_COLORS["ours"], alpha=0.7
            )
