# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cooperative matrices over ranges of k, for long k on few tiles.

Each range writes its sums to a plane of scratch; a second dispatch adds the planes in
the order of their ranges, then does the epilogue.

Order of additions: within a range one chain, 16 terms at a time; the ranges in
increasing k.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.fragment_layout import SUBGROUP
from iree_gemm.passes.emit.fragment_store import store_plane
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import cooperative, split_k
from .strategy import Grid, Reject, Stage, Strategy

_MAX_RANGES = 16
_MAX_SCRATCH_BYTES = 16 * 2**20
# On an H200 (2026-11-30, benchmarks/results) 128x768x3072 takes 15.6 us in ranges and
# 24.5 in one; 128x768x768 13.1 and 9.4, as the second dispatch costs 4.2.
_SPLIT_FROM = 1536
_MIN_TERMS = 192
_ENOUGH = cooperative.BUSY * 3 // 4


@dataclass(frozen=True)
class Config(cooperative.Config):
    """The cooperative one's, over `ranges` ranges of k."""

    ranges: int = 2


def configure(problem: Problem, target: Target) -> Config | Reject:
    fitting = cooperative.fitting(problem, target)
    if isinstance(fitting, Reject):
        return Reject("for the reasons of cooperative")
    sizes = [s.static for s in (problem.m, problem.n, problem.batch)]
    k = problem.k.static
    if None in sizes or k is None:
        return Reject("the number of ranges needs static sizes")
    m, n, batch = (s for s in sizes if s is not None)
    if k < _SPLIT_FROM:
        return Reject(f"k is {k}: fewer than {_SPLIT_FROM} terms")
    base = cooperative.best(fitting, (m, n, batch))
    count = base.tiles(m, n) * batch
    if count >= cooperative.BUSY:
        return Reject(f"{count} workgroups: enough without splitting")
    planes = _MAX_SCRATCH_BYTES // (4 * m * n * batch)
    if planes < 2:
        return Reject(f"two planes of sums exceed {_MAX_SCRATCH_BYTES >> 20} MiB")
    most = min(_MAX_RANGES, k // _MIN_TERMS, planes)
    return _split(fitting, (m, n, batch), k, most)


def _split(
    fitting: list[cooperative.Config], sizes: tuple[int, int, int], k: int, most: int
) -> Config:
    """The largest tile that ranges make enough workgroups of, or else the most."""
    m, n, batch = sizes
    least = min(c.area(m, n) for c in fitting)
    options = []
    for base in fitting:
        count = base.tiles(m, n) * batch
        ranges = min(most, max(2, cooperative.BUSY // count))
        if base.tile_n > cooperative.TALL.tile_n or base.area(m, n) > least:
            continue
        if count * ranges >= _ENOUGH:
            return _config(base, k, ranges)
        options.append((count * ranges, base, ranges))
    _, base, ranges = max(options, key=lambda option: option[0])
    return _config(base, k, ranges)


def _config(base: cooperative.Config, k: int, ranges: int) -> Config:
    return Config(**asdict(base), ranges=_filled(max(1, k // base.tile_k), ranges))


def _filled(steps: int, ranges: int) -> int:
    """So many ranges that none is empty."""
    return -(-steps // -(-steps // ranges))


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane.

    The terms of the last, partial step belong to the last range; in the others it is
    a step beyond k, all of whose terms are zero.
    """
    number = kernel.rem(kernel.workgroup_id(2), config.ranges)
    batch = kernel.div(kernel.workgroup_id(2), config.ranges)
    owner = Tile.of_batch(kernel, config.tile_m, config.tile_n, batch)
    product = cooperative.product_of(owner, config)
    whole = kernel.div(kernel.k, config.tile_k)
    each = kernel.ceildiv(whole, config.ranges)
    first = kernel.mul(number, each)
    last = kernel.min(kernel.add(first, each), whole)
    sums = product.staged((first, last))
    if not kernel.problem.k.is_multiple_of(config.tile_k):
        is_last = kernel.less(config.ranges - 2, number)
        beyond = kernel.add(whole, 1)
        sums = product.with_tail(kernel.select(is_last, whole, beyond), sums)
    plane = kernel.add(kernel.mul(number, kernel.batches), batch)
    store_plane(product, sums, plane)


def stages(config: Config) -> tuple[Stage, ...]:
    portable = split_k.Config(**asdict(cooperative.PORTABLE), ranges=config.ranges)
    fallback, join = split_k.stages(portable)

    def ranges(grid: Grid) -> tuple[Index, Index, Index]:
        x, y, batch = grid.tiles(config.tile_m, config.tile_n)
        return x, y, grid.arithmetic.mul(batch, config.ranges)

    first = Stage(
        "ranges",
        ("lhs", "rhs"),
        "scratch",
        config.threads,
        ranges,
        lambda kernel: emit_ranges(kernel, config),
        subgroup_size=SUBGROUP,
        packed=True,
        needs=cooperative.needs(config),
        fallback=fallback,
    )
    return first, join


STRATEGY = Strategy(
    "cooperative-split-k",
    "cooperative",
    Config,
    configure,
    stages,
    planes=lambda config: config.ranges,
    on_matrix_hardware=True,
)
