# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on a module's products: its rows, its file, its table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePath

from iree_gemm.errors import UsageError
from iree_gemm.problem import Problem

_COLUMNS = (
    "location",
    "B",
    "M",
    "N",
    "K",
    "types",
    "layout",
    "folded",
    "next",
    "strategy",
)
_WIDEST_LOCATION = 40
# The order of additions is the same whatever the sizes are; JSON has it.
_UNSHOWN = ("chain",)


@dataclass(frozen=True)
class Row:
    """A product; sizes as text, `?` where known at run time.

    `strategy` is `iree` for a product that is left to IREE, `reason` says why, and
    `passed_over` why not another strategy of ours. `next` is what reads the result and
    could not be folded.
    """

    location: str
    batch: str = ""
    m: str = ""
    n: str = ""
    k: str = ""
    types: str = ""
    layout: str = ""
    folded: Sequence[str] = ()
    next: str = ""
    strategy: str = ""
    config: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    passed_over: dict[str, str] = field(default_factory=dict)

    @property
    def is_taken(self) -> bool:
        return self.strategy not in ("", "iree")

    def with_problem(self, problem: Problem, folded: Sequence[str]) -> Row:
        return replace(
            self,
            batch=str(problem.batch),
            m=str(problem.m),
            n=str(problem.n),
            k=str(problem.k),
            types=f"{problem.lhs_type}*{problem.rhs_type}->"
            + ",".join(r.element for r in problem.results),
            layout=problem.layout(),
            folded=tuple(folded),
        )


def write_report(rows: Sequence[Row], path: str | Path) -> None:
    """Writes the rows as JSON. Raises UsageError where that cannot be."""
    text = json.dumps([asdict(row) for row in rows], indent=1)
    try:
        Path(path).write_text(text + "\n")
    except OSError as error:
        message = f"cannot write the report '{path}': {error.strerror}"
        raise UsageError(message) from error


def read_report(path: str | Path) -> list[Row]:
    return [Row(**row) for row in json.loads(Path(path).read_text())]


def share_taken(rows: Sequence[Row]) -> float:
    """The part of the products that run on our kernels; 1 where there are none."""
    return sum(row.is_taken for row in rows) / len(rows) if rows else 1.0


def render_table(rows: Sequence[Row]) -> str:
    """A table for people, one line a product, and how many are taken."""
    cells = [_COLUMNS, *map(_cells, rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(_COLUMNS))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    taken = sum(row.is_taken for row in rows)
    return "\n".join([*lines, f"{taken} of {len(rows)} products taken"])


def _cells(row: Row) -> tuple[str, ...]:
    sizes = (row.batch, row.m, row.n, row.k)
    folded = ", ".join(row.folded) or "-"
    place = short_location(row.location)
    return (place, *sizes, row.types, row.layout, folded, row.next, _choice(row))


def short_location(location: str) -> str:
    """The first file or name of a location; files without their folders."""
    match = re.search(r'"([^"]*)"(:\d+:\d+)?', location)
    if match:
        place = match[2] or ""
        location = (PurePath(match[1]).name if place else match[1]) + place
    if len(location) > _WIDEST_LOCATION:
        location = "..." + location[3 - _WIDEST_LOCATION :]
    return location


def _choice(row: Row) -> str:
    if not row.is_taken:
        return f"left to IREE: {row.reason}"
    return f"{row.strategy} {short_config(row.config)}".rstrip()


def short_config(config: Mapping[str, int]) -> str:
    """`tile_m=64 tile_n=64 tile_k=16 thread_m=4 thread_n=4` as `64x64x16 4x4`."""
    groups: dict[str, dict[str, int]] = {}
    for name, value in config.items():
        stem, _, axis = name.rpartition("_")
        is_axis = bool(stem) and axis in ("m", "n", "k")
        groups.setdefault(stem if is_axis else name, {})[axis] = value
    first = ("tile", "thread")
    order = sorted(groups, key=lambda g: first.index(g) if g in first else len(first))
    return " ".join(_group(g, groups[g]) for g in order if g not in _UNSHOWN)


def _group(stem: str, values: Mapping[str, int]) -> str:
    text = "x".join(str(values[axis]) for axis in ("m", "n", "k") if axis in values)
    if not text:
        return f"{stem}={next(iter(values.values()))}"
    if len(values) == 1:
        return f"{next(iter(values))}={text}"
    return text if stem in ("tile", "thread") else f"{stem}={text}"
