# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a cooperative configuration takes, to compare them by. Imports no compiler.

Workgroups that fit on the device at once take their k steps together. A step takes as
long as its loads do: longer for more bytes, for operands that lie in more of the cache,
and the more loads are under way.

The constants were fitted to 79 times of 15 products on an H200, in
benchmarks/results/2026-11-30-h200/configurations.csv; the unit test of that name holds
the choices to within 10 % of the fastest, but for 512x512x16384, which takes 1.4 times
as long.
"""

from __future__ import annotations

from iree_gemm.passes.emit.fragment_layout import Layout

from .sizes import Sizes

_UNIT_BYTES = 51 * 1024
_WORKGROUP_OVERHEAD = 1024
_MAX_RESIDENT = 3

_DISPATCH_US = 4.85
_JOIN_US = 3.0
_WORKGROUP_US = 0.27
_BYTES_PER_US = 2.85e6
_STEP_US = 0.31
_FAR_US = 0.15
_CACHE_BYTES = 32e6
_LOADED_US = 0.127
_MOST_LOAD = 2.0
_USUAL_STEP_BYTES = 16 * 1024


def microseconds(layout: Layout, sizes: Sizes, ranges: int = 1) -> float:
    """The time that a product takes in ranges of k."""
    workgroups = sizes.tiles(layout.tile_m, layout.tile_n) * ranges
    together = min(workgroups, sizes.units * _resident(layout))
    steps = -(-sizes.k // layout.tile_k)
    one = _WORKGROUP_US + -(-steps // ranges) * _step(layout, sizes, together)
    one += together * layout.tile_m * layout.tile_n * 4 / _BYTES_PER_US
    total = _DISPATCH_US + -(-workgroups // max(1, together)) * one
    if ranges == 1:
        return total
    return total + _JOIN_US + 2 * ranges * sizes.plane_bytes / _BYTES_PER_US


def _resident(layout: Layout) -> int:
    """Workgroups that a compute unit holds at a time."""
    each = layout.workgroup_bytes + _WORKGROUP_OVERHEAD
    return max(1, min(_MAX_RESIDENT, _UNIT_BYTES // each))


def _step(layout: Layout, sizes: Sizes, together: int) -> float:
    element = layout.element_bits / 8
    size = (layout.tile_m + layout.tile_n) * layout.tile_k * element / _USUAL_STEP_BYTES
    operands = (sizes.m + sizes.n) * sizes.batch * sizes.k * element
    far = min(1.0, operands / _CACHE_BYTES)
    load = min(_MOST_LOAD, size**0.79 * together / sizes.units)
    return (_STEP_US + _FAR_US * far) * size**0.37 + _LOADED_US * load**1.3
