# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report in Markdown of what one run measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.results import (
    Comparison,
    Limits,
    Results,
    Row,
    seconds,
    times_as_fast,
)

_GROUPS = {
    "model": "Shapes of models",
    "sweep": "Square products",
    "large": "Operands that exceed the cache",
    "small-m": "Few rows, N = K = 4096",
    "epilogues": "Epilogues",
    "long-k": "Long k",
    "batched": "Batches, as in attention",
    "layouts": "Transposed operands",
    "shapes": "Shapes of the tests",
    "quick": "A few small products",
}
_COLUMNS = (
    "M x N x K",
    "types",
    "strategy",
    "us",
    "quartiles",
    "TFLOP/s",
    "GB/s",
    "of the limit",
    "others of ours, us",
    "stock, us",
    "x stock",
    "cuBLAS, us",
    "x cuBLAS",
    "ggml, us",
    "x ggml",
)
_NOTES = """\
How it was measured. A kernel's time is the difference of two calls that run it few and
many times in a chain, each run after the one before, over the difference of the counts.
A call's time begins when the host has submitted it: it holds what a dispatch and its
barrier cost the device, and nothing of what they cost the host. Stock IREE's dispatches
are chained in the same way. cuBLAS is called through PyTorch in CUDA graphs (no TF32,
results in the type of the inputs). ggml-vulkan is called through its C interface, in
graphs of few and of many products; it takes B as N x K in every row, gives f32, and
rounds f32 to f16 where matrix units take that. A network takes what it returned before
as an argument that its result does not depend on, which puts one run after another. Of
layers of experts the whole time of a call counts, since the host may wait within it.

Medians; quartiles beside ours. A heavy kernel runs for 0.2 s before each measurement.
Inputs are random and every result is checked in the run, on integers exactly (but for
gelu) and on reals against float64. Operands that fit the cache stay there from one run
to the next, for all alike, so that a share of the limit of memory can exceed 100 %. The
host needs some microseconds to record a dispatch (`recording` in the rows); they still
show, in part, in kernels that take little longer, and graphs of cuBLAS have no such
part.

`x stock`, `x cuBLAS` and `x ggml` are their time over ours: above 1, ours is faster.
The limit is what binds of arithmetic (the FMA or MMA rate) and memory (the copy rate),
as measured in the same run by kernels that do nothing else.
"""


def markdown(results: Results, pictures: Sequence[str]) -> str:
    """The whole report; `pictures` are files beside it."""
    parts = [
        f"<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"
        f"# {results.head['device']}, {results.head['date']}",
        *_head(results),
        _NOTES.rstrip(),
        *(f"![{name.partition('.')[0]}]({name})" for name in pictures),
        _networks(results),
        _experts(results),
    ]
    for group, title in _GROUPS.items():
        if comparisons := results.group(group):
            parts += [
                f"## {title}",
                _table(_COLUMNS, _rows(comparisons, results.limits)),
            ]
    parts += ["## What failed", *_failures(results)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(results: Results) -> Iterator[str]:
    yield _table(
        ("", ""), [(k, str(v)) for k, v in results.head.items() if k != "kind"]
    )
    rows = [_ceiling(row) for row in results.ceilings]
    yield _table(("limit", "reached", "time, us"), rows) if rows else ""
    yield "\n".join(f"- {line}" for line in _summary(results))


def _ceiling(row: Row) -> tuple[str, ...]:
    time = seconds(row)
    if time is None:
        return row["name"], row["failure"], ""
    rate = {
        "copy": f"{row['bytes'] / time / 1e12:.3g} TB/s read and written",
        "dispatch": "the cost of a dispatch in a chain",
    }.get(row["name"], f"{row['flops'] / time / 1e12:.3g} TFLOP/s")
    return row["name"], rate, f"{time * 1e6:.2f}"


def _summary(results: Results) -> Iterator[str]:
    stock = [c.ratio(c.stock) for c in results.comparisons]
    failing = sum(
        c.stock is not None and seconds(c.stock) is None for c in results.comparisons
    )
    if not results.comparisons:
        return
    yield (
        f"{len(results.comparisons)} products; stock IREE fails on {failing}; on the"
        f" others ours is {_mean(stock)} times as fast (geometric mean)."
    )
    yield from _heat(results)
    for who, title in (("cublas", "cuBLAS"), ("ggml", "ggml-vulkan")):
        for type_ in ("f32", "f16", "bf16"):
            ratios = [
                c.ratio(getattr(c, who))
                for c in results.comparisons
                if c.case.type == type_
            ]
            if any(ratios):
                yield f"Against {title}, {type_}: {_mean(ratios)} (geometric mean)."


def _heat(results: Results) -> Iterator[str]:
    """How steady the clock was, by the kernel that heats the device each time."""
    rows = [r for c in results.comparisons for r in (*c.ours.values(), c.stock) if r]
    times = sorted(row["heat"] * 1e3 for row in rows if row.get("heat"))
    if times:
        middle, late = times[len(times) // 2], times[len(times) * 9 // 10]
        yield (
            f"The heavy call before each measurement took {middle:.1f} ms (median),"
            f" {late:.1f} ms (9 of 10 at most), {times[-1]:.1f} ms (the longest)."
        )


def _mean(ratios: Iterable[float | None]) -> str:
    logs = [math.log(r) for r in ratios if r]
    return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else "-"


def _rows(comparisons: Iterable[Comparison], limits: Limits) -> Iterator[Sequence[str]]:
    for c in comparisons:
        yield (
            *_names(c),
            *_ours(c, limits),
            *_theirs(c, c.stock),
            *_theirs(c, c.cublas),
            *_theirs(c, c.ggml),
        )


def _names(c: Comparison) -> tuple[str, str]:
    types = f"{c.case.type} to {c.case.result}"
    extra = [c.case.layout.upper()] if c.case.layout != "nn" else []
    extra += [c.case.epilogue.replace("_", ", ")] if c.case.epilogue != "none" else []
    return c.case.shape, ", ".join([types, *extra])


def _ours(c: Comparison, limits: Limits) -> Iterator[str]:
    row, others = c.auto, ", ".join(_other(c))
    time = seconds(row)
    if row is None or time is None:
        failed = next(iter(c.ours.values()), {}) if row is None else row
        yield from (failed.get("strategy", ""), "fails", "", "", "", "", others)
        return
    yield row["strategy"]
    yield f"{time * 1e6:.1f}"
    yield f"{row['low'] * 1e6:.1f}..{row['high'] * 1e6:.1f}"
    yield f"{c.case.flops / time / 1e12:.3g}"
    yield f"{c.case.bytes / time / 1e9:.3g}"
    share = limits.share(c.case, time)
    yield f"{share[0]:.0%} {share[1]}" if share else ""
    yield others


def _other(c: Comparison) -> Iterator[str]:
    for name, row in c.ours.items():
        if not row.get("is_auto"):
            time = seconds(row)
            yield f"{name} " + ("fails" if time is None else f"{time * 1e6:.1f}")


def _theirs(c: Comparison, row: Row | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    time, ratio = seconds(row), c.ratio(row)
    if time is None:
        return "fails", ""
    return f"{time * 1e6:.1f}", "" if ratio is None else f"{ratio:.2f}"


def _networks(results: Results) -> str:
    if not results.networks:
        return ""
    rows = []
    for title, found in results.networks.items():
        times = times_as_fast(found)
        ratio = f"{times:.2f}" if times else ""
        cells = [_milliseconds(found.get(who)) for who in ("ours", "stock")]
        calls = [_milliseconds(found.get(who), "call") for who in ("ours", "stock")]
        rows.append((title, *cells, ratio, *calls))
    columns = ("network", "ours, ms", "stock, ms", "x stock")
    columns += ("a call of ours, ms", "of stock, ms")
    return "## Whole networks, 128 tokens\n\n" + _table(columns, rows)


def _experts(results: Results) -> str:
    if not results.experts:
        return ""
    rows = []
    for index, found in results.experts.items():
        times = times_as_fast(found)
        ratio = f"{times:.1f}" if times else ""
        both = (seconds(found.get(who)) for who in ("ours", "stock"))
        cells = [f"{time * 1e6:.1f}" if time else "fails" for time in both]
        rows.append((index, *cells, ratio))
    columns = ("who knows the expert", "ours, us", "stock, us", "x stock")
    title = "## A layer of experts, 1x4096x4096, f16, one of 8\n\n"
    return title + _table(columns, rows)


def _milliseconds(row: Row | None, key: str = "seconds") -> str:
    if row is None:
        return ""
    return "fails" if seconds(row) is None else f"{row[key] * 1e3:.2f}"


def _failures(results: Results) -> Iterator[str]:
    lines = [
        (c.case.name, row.get("who", "ours"), row.get("strategy", ""), row["failure"])
        for c in results.comparisons
        for row in (*c.ours.values(), c.stock, c.cublas, c.ggml)
        if row is not None and row.get("failure")
    ]
    lines += [
        (title, who, "", row["failure"])
        for title, found in (*results.networks.items(), *results.experts.items())
        for who, row in found.items()
        if row.get("failure")
    ]
    yield _table(("case", "who", "strategy", "reason"), lines) if lines else "Nothing."


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
