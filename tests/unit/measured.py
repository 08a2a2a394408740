# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of configurations on an H200, kept beside the benchmark's results."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from iree_gemm.passes.strategies.sizes import UNITS, Sizes

_TABLE = (
    Path(__file__).parents[2] / "benchmarks/results/2026-11-30-h200/configurations.csv"
)


class Measured(NamedTuple):
    """`config` is the tile in m, n and k, then what differs by kernel."""

    sizes: Sizes
    config: str
    ranges: int
    us: float


def products(kernel: str, configs: set[str]) -> Iterator[list[Measured]]:
    """The measurements of each product, of those configurations."""
    with _TABLE.open() as file:
        rows = [r for r in csv.DictReader(file) if r["kernel"] == kernel]
    found = [_measured(row) for row in rows if row["config"] in configs]
    for _, group in groupby(found, lambda measured: measured.sizes):
        yield list(group)


def _measured(row: dict[str, str]) -> Measured:
    m, n, k, batch = (int(row[name]) for name in ("m", "n", "k", "batch"))
    sizes = Sizes(m, n, k, batch, UNITS)
    return Measured(sizes, row["config"], int(row["ranges"]), float(row["us"]))
