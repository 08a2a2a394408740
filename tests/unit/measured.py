# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of configurations on an H200, kept beside the benchmark's results."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

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


@dataclass(frozen=True)
class Model:
    """An estimate of time, in us, and the measurements to hold it against.

    `configs` are what can be chosen, by their texts in the table.
    """

    kernel: str
    configs: Mapping[str, Any]
    microseconds: Callable[[Any, Sizes, int], float]

    @cached_property
    def products(self) -> list[list[Measured]]:
        """The measurements of each product."""
        with _TABLE.open() as file:
            rows = [r for r in csv.DictReader(file) if r["kernel"] == self.kernel]
        found = [_measured(row) for row in rows if row["config"] in self.configs]
        return [list(group) for _, group in groupby(found, lambda m: m.sizes)]

    def estimate(self, measured: Measured) -> float:
        config = self.configs[measured.config]
        return self.microseconds(config, measured.sizes, measured.ranges)

    def slowdown(self, product: list[Measured]) -> float:
        """The time of what the estimate chooses over that of the fastest."""
        chosen = min(product, key=self.estimate)
        return chosen.us / min(measured.us for measured in product)


def _measured(row: dict[str, str]) -> Measured:
    m, n, k, batch = (int(row[name]) for name in ("m", "n", "k", "batch"))
    sizes = Sizes(m, n, k, batch, UNITS)
    return Measured(sizes, row["config"], int(row["ranges"]), float(row["us"]))
