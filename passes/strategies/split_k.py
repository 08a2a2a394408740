# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile over ranges of k, for products with too few tiles to fill a device.

Each range writes its sums to a plane of scratch; a second dispatch adds the planes in
the order of their ranges, then does the epilogue.

Order of additions: within a range as the tile's; the ranges in increasing k.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.scratch import RUN, store_sums, sum_planes
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import tile
from .strategy import Grid, Reject, Stage, Strategy

# Enough workgroups of 64 x 64 to fill a device: 8 a compute unit, where known.
_WORKGROUPS = 384
_PER_COMPUTE_UNIT = 8
_MAX_RANGES = 16
# 128x768x768 on an H200, 2026-11-30: 8 ranges of 96 terms 19.9 us, 12 of 64 21.7.
_SPLIT_FROM = 192
_MIN_TERMS = 96
_RANGE_MULTIPLE = 32
_MAX_SCRATCH_BYTES = 16 * 2**20
_REDUCING_THREADS = 64


@dataclass(frozen=True)
class Config(tile.Config):
    """The tile's, over `ranges` ranges of k."""

    ranges: int = 2


def configure(problem: Problem, target: Target) -> Config | Reject:
    base = tile.configure(problem, target)
    if isinstance(base, Reject):
        return base
    sizes = [s.static for s in (problem.m, problem.n, problem.k, problem.batch)]
    if None in sizes:
        return Reject("the number of ranges needs static sizes")
    m, n, k, batch = (s for s in sizes if s is not None)
    ranges = _ranges(base, (m, n, k, batch), target)
    if isinstance(ranges, Reject):
        return ranges
    return Config(**asdict(base), ranges=ranges)


def _ranges(
    base: tile.Config, sizes: tuple[int, int, int, int], target: Target
) -> int | Reject:
    m, n, k, batch = sizes
    if k < _SPLIT_FROM:
        return Reject(f"k is {k}: fewer than {_SPLIT_FROM} terms")
    wanted = (
        _WORKGROUPS
        if target.compute_units is None
        else _PER_COMPUTE_UNIT * target.compute_units
    )
    workgroups = -(-m // base.tile_m) * -(-n // base.tile_n) * batch
    if workgroups == 0 or workgroups >= wanted:
        return Reject(f"{workgroups} workgroups: enough, or none, without splitting")
    planes = _MAX_SCRATCH_BYTES // (4 * m * n * batch)
    ranges = min(_MAX_RANGES, -(-wanted // workgroups), k // _MIN_TERMS, planes)
    if ranges < 2:
        return Reject(f"two planes of sums exceed {_MAX_SCRATCH_BYTES >> 20} MiB")
    return ranges


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane."""
    number = kernel.rem(kernel.workgroup_id(2), config.ranges)
    batch = kernel.div(kernel.workgroup_id(2), config.ranges)
    owner = Tile.of_batch(kernel, config.tile_m, config.tile_n, batch)
    terms = kernel.ceildiv(kernel.k, config.ranges)
    terms = kernel.mul(kernel.ceildiv(terms, _RANGE_MULTIPLE), _RANGE_MULTIPLE)
    first = kernel.min(kernel.mul(number, terms), kernel.k)
    last = kernel.min(kernel.add(first, terms), kernel.k)
    rows, columns, sums = tile.sums(owner, config, (first, last))
    plane = kernel.add(kernel.mul(number, kernel.batches), batch)
    store_sums(owner, plane, rows, columns, sums)


def stages(config: Config) -> tuple[Stage, ...]:
    def ranges(grid: Grid) -> tuple[Index, Index, Index]:
        x, y, batch = grid.tiles(config.tile_m, config.tile_n)
        return x, y, grid.arithmetic.mul(batch, config.ranges)

    return (
        Stage(
            "ranges",
            ("lhs", "rhs"),
            "scratch",
            config.threads,
            ranges,
            lambda kernel: emit_ranges(kernel, config),
        ),
        Stage(
            "join",
            ("extras", "scratch"),
            "results",
            _REDUCING_THREADS,
            lambda grid: grid.elements(_REDUCING_THREADS * RUN),
            lambda kernel: sum_planes(kernel, config.ranges),
            width=RUN,
        ),
    )


STRATEGY = Strategy(
    "split-k", "split-k", Config, configure, stages, planes=lambda c: c.ranges
)
