# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on a module's products: its rows, its file, its table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from iree_gemm.problem import Problem

_COLUMNS = ("location", "B", "M", "N", "K", "types", "layout", "folded", "strategy")
_WIDEST_LOCATION = 40


@dataclass(frozen=True)
class Row:
    """A product; sizes as text, `?` where known at run time.

    `strategy` is `iree` for a product that is left to IREE, `reason` says why.
    """

    location: str
    batch: str = ""
    m: str = ""
    n: str = ""
    k: str = ""
    types: str = ""
    layout: str = ""
    folded: Sequence[str] = ()
    strategy: str = ""
    config: dict[str, int] = field(default_factory=dict)
    reason: str = ""

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
    """Writes the rows as JSON. Raises OSError."""
    text = json.dumps([asdict(row) for row in rows], indent=1)
    Path(path).write_text(text + "\n")


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
    location = row.location
    if len(location) > _WIDEST_LOCATION:
        location = "..." + location[3 - _WIDEST_LOCATION :]
    sizes = (row.batch, row.m, row.n, row.k)
    folded = ", ".join(row.folded) or "-"
    return (location, *sizes, row.types, row.layout, folded, _choice(row))


def _choice(row: Row) -> str:
    if not row.is_taken:
        return f"left to IREE: {row.reason}"
    config = " ".join(f"{name}={value}" for name, value in row.config.items())
    return f"{row.strategy} {config}".rstrip()
