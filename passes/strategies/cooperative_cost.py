# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a cooperative configuration takes, to compare them by. Imports no compiler.

Workgroups that fit on the device at once take their k steps together. A step takes as
long as its loads, which take longer the more of them are under way.

The constants are those of an H200 (132 multiprocessors of 51 KiB for workgroups), from
benchmarks/results/2026-11-30-h200; tests/unit/test_cooperative_cost.py holds the f16
products there against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from iree_gemm.passes.emit.fragment_layout import Layout

UNITS = 132
"""Compute units, where the target does not say."""

_UNIT_BYTES = 51 * 1024
_WORKGROUP_OVERHEAD = 1024
_MAX_RESIDENT = 3

_DISPATCH_US = 2.0
_WORKGROUP_US = 1.0
_STEP_US = 0.42
_BUSY_STEP_US = 0.45
_BUSY_STEP_BYTES = 16 * 1024
_JOIN_US = 3.0
_BYTES_PER_US = 3.5e6


@dataclass(frozen=True)
class Sizes:
    """A product on a device with so many compute units."""

    m: int
    n: int
    k: int
    batch: int
    units: int


def microseconds(layout: Layout, sizes: Sizes, ranges: int = 1) -> float:
    """The time that a product takes in ranges of k."""
    workgroups = _tiles(layout, sizes) * ranges
    together = min(workgroups, sizes.units * _resident(layout))
    steps = -(-sizes.k // layout.tile_k)
    one = _WORKGROUP_US + -(-steps // ranges) * _step(layout, together, sizes.units)
    one += together * layout.tile_m * layout.tile_n * 4 / _BYTES_PER_US
    total = _DISPATCH_US + -(-workgroups // max(1, together)) * one
    if ranges == 1:
        return total
    plane = sizes.m * sizes.n * sizes.batch * 4
    return total + _JOIN_US + 2 * ranges * plane / _BYTES_PER_US


def _tiles(layout: Layout, sizes: Sizes) -> int:
    rows, columns = -(-sizes.m // layout.tile_m), -(-sizes.n // layout.tile_n)
    return rows * columns * sizes.batch


def _resident(layout: Layout) -> int:
    """Workgroups that a compute unit holds at a time."""
    each = layout.workgroup_bytes + _WORKGROUP_OVERHEAD
    return max(1, min(_MAX_RESIDENT, _UNIT_BYTES // each))


def _step(layout: Layout, together: int, units: int) -> float:
    """A k step, which is slower where the device has many loads under way."""
    bits = (layout.tile_m + layout.tile_n) * layout.tile_k * layout.element_bits
    size = min(1.0, bits / 8 / _BUSY_STEP_BYTES)
    load = min(1.0, sqrt(size) * together / units)
    return _STEP_US + _BUSY_STEP_US * load**3
