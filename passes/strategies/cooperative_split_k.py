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
from iree_gemm.passes.emit.fragment_ranges import KRange
from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import cooperative, split_k
from .cooperative_cost import microseconds
from .strategy import Grid, Reject, Stage, Strategy

_RANGES = (2, 3, 4, 6, 8, 12, 16)
_MIN_TERMS = 192
_MAX_SCRATCH_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Config(cooperative.Config):
    """The cooperative one's, over `ranges` ranges of k."""

    ranges: int = 2


def configure(problem: Problem, target: Target) -> Config | Reject:
    valid = cooperative.fitting(problem, target)
    if isinstance(valid, Reject):
        return Reject("for the reasons of cooperative")
    sizes = cooperative.sizes_of(problem, target)
    if sizes is None or problem.k.static is None:
        return Reject("the number of ranges needs static sizes")
    if sizes.k < 2 * _MIN_TERMS:
        return Reject(f"k is {sizes.k}: fewer than {2 * _MIN_TERMS} terms")
    planes = _MAX_SCRATCH_BYTES // max(1, 4 * sizes.m * sizes.n * sizes.batch)
    most = min(planes, sizes.k // _MIN_TERMS)
    if planes < 2:
        return Reject(f"two planes of sums exceed {_MAX_SCRATCH_BYTES >> 20} MiB")
    splits = [(c, ranges) for c in valid for ranges in _RANGES if ranges <= most]
    time, number = min(
        (microseconds(c, sizes, ranges), n) for n, (c, ranges) in enumerate(splits)
    )
    in_one = min(microseconds(c, sizes) for c in valid)
    if time >= in_one:
        return Reject(f"ranges would take {time:.0f} us, and one takes {in_one:.0f}")
    config, ranges = splits[number]
    return Config(**asdict(config), ranges=_filled(sizes.k // config.tile_k, ranges))


def _filled(steps: int, ranges: int) -> int:
    """So many ranges that none is empty."""
    return -(-steps // -(-steps // ranges))


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane."""
    k_range = KRange.of_workgroup(kernel, config, config.ranges)
    product = cooperative.product_of(k_range.owner, config)
    k_range.store(product, product.staged)


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
