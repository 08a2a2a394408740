# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of measurements, read back and put side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from benchmarks.cases import Case

Row = dict[str, Any]
_CASE_FIELDS = [f.name for f in fields(Case)]


@dataclass
class Comparison:
    """The rows of one case; `ours` by strategy."""

    case: Case
    ours: dict[str, Row] = field(default_factory=dict)
    stock: Row | None = None
    cublas: Row | None = None
    ggml: Row | None = None

    @property
    def auto(self) -> Row | None:
        """The row of what is chosen without being asked."""
        return next((r for r in self.ours.values() if r.get("is_auto")), None)

    @property
    def best(self) -> Row | None:
        """The fastest of ours that gave the right result."""
        right = [r for r in self.ours.values() if seconds(r) is not None]
        return min(right, key=lambda r: r["seconds"], default=None)

    def ratio(self, other: Row | None) -> float | None:
        """The time of another over ours: above 1, ours is faster."""
        ours, theirs = seconds(self.auto), seconds(other)
        return None if ours is None or theirs is None else theirs / ours


def seconds(row: Row | None) -> float | None:
    """The time of a kernel that gave the right result."""
    if row is None or row.get("failure"):
        return None
    time = row.get("seconds", 0.0)
    # A difference of two times can be lost in the noise of a busy machine.
    return time if time > 0 else None


def times_as_fast(found: Mapping[str, Row]) -> float | None:
    """Stock's time over ours, of a program that both ran."""
    ours, stock = (seconds(found.get(who)) for who in ("ours", "stock"))
    return stock / ours if ours and stock else None


@dataclass(frozen=True)
class Limits:
    """What the device was seen to reach, in operations and bytes a second."""

    rates: dict[str, float]

    @staticmethod
    def of(rows: Iterable[Row]) -> Limits:
        rates = {}
        for row in rows:
            time = seconds(row)
            if row["kind"] == "ceiling" and time:
                work = row["bytes"] if row["name"] == "copy" else row["flops"]
                rates[row["name"]] = work / time
        return Limits(rates)

    def arithmetic(self, type_: str) -> float | None:
        """By the fastest units for a type; none was measured for integers."""
        if type_ == "i8":
            return None
        matrix = self.rates.get("mma") if type_ in ("f16", "bf16") else None
        return matrix or self.rates.get("fma")

    def share(self, case: Case, time: float) -> tuple[float, str] | None:
        """The least possible time over the measured one, and what limits it."""
        floors = []
        if rate := self.arithmetic(case.type):
            floors.append((case.flops / rate, "arithmetic"))
        if "copy" in self.rates:
            floors.append((case.bytes / self.rates["copy"], "memory"))
        if not floors:
            return None
        floor, name = max(floors)
        return floor / time, name


@dataclass(frozen=True)
class Results:
    """Everything that one run measured."""

    head: Row
    comparisons: Sequence[Comparison]
    networks: dict[str, dict[str, Row]]
    experts: dict[str, dict[str, Row]]
    ceilings: Sequence[Row]

    @property
    def limits(self) -> Limits:
        return Limits.of(self.ceilings)

    def group(self, name: str) -> list[Comparison]:
        return [c for c in self.comparisons if c.case.group == name]


def read(path: Path) -> Results:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    head = next(r for r in rows if r["kind"] == "run")
    networks: dict[str, dict[str, Row]] = {}
    experts: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["kind"] == "network":
            title = f"{row['name']}, {row['type']}, batch {row['batch']}"
            networks.setdefault(title, {})[row.get("who", "ours")] = row
        elif row["kind"] == "experts":
            experts.setdefault(row["index"], {})[row.get("who", "ours")] = row
    return Results(
        head,
        list(_comparisons(r for r in rows if r["kind"] == "kernel")),
        networks,
        experts,
        [r for r in rows if r["kind"] == "ceiling"],
    )


def _comparisons(rows: Iterable[Row]) -> Iterable[Comparison]:
    found: dict[str, Comparison] = {}
    for row in rows:
        case = Case(**{name: row[name] for name in _CASE_FIELDS})
        entry = found.setdefault(case.name, Comparison(case))
        who = row.get("who", "ours")
        if who == "ours":
            entry.ours[row.get("strategy") or "none"] = row
        else:
            setattr(entry, who, row)
    return found.values()
