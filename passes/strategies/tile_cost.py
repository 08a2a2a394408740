# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a product takes in register tiles, to compare configurations by.

A compute unit shares its rate among the workgroups that it has; one alone does not
reach it. The constants were fitted to 63 times of 19 products on an H200, in
benchmarks/results/2026-11-30-h200/configurations.csv; tests/unit/test_tile_cost.py
holds the choices to within 6 % of the fastest.
"""

from __future__ import annotations

from dataclasses import dataclass

from .sizes import Sizes

_DISPATCH_US = 4.9
_JOIN_US = 4.8
_WORKGROUP_US = 0.13
_ALONE = 1.17
_BYTES_PER_US = 3.5e6


@dataclass(frozen=True)
class Rate:
    """Multiply-adds of a compute unit a nanosecond; workgroups that it runs at once."""

    per_ns: float
    together: int = 1


def microseconds(
    tile: tuple[int, int], rate: Rate, sizes: Sizes, ranges: int = 1
) -> float:
    """The time that a product takes in tiles of rows and columns, in ranges of k."""
    rows, columns = tile
    workgroups = -(-sizes.tiles(rows, columns) * ranges // sizes.units)
    if workgroups > 1:
        workgroups = rate.together * -(-workgroups // rate.together)
    work = rows * columns * -(-sizes.k // ranges) / (rate.per_ns * 1000)
    work *= _ALONE if workgroups == 1 else 1
    each = work + _WORKGROUP_US * rows * columns / 4096
    total = _DISPATCH_US + workgroups * each
    if ranges == 1:
        return total
    return total + _JOIN_US + 2 * ranges * sizes.plane_bytes / _BYTES_PER_US
