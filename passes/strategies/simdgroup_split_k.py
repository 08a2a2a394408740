# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simdgroup matrices over ranges of k, for long k on few tiles.

Each range writes its sums to a plane of scratch; a second dispatch, of a portable
kernel, adds the planes in the order of their ranges, then does the epilogue.

Order of additions: within a range as simdgroup's; the ranges in increasing k.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from iree_gemm.passes.emit.fragment_layout import SUBGROUP
from iree_gemm.passes.emit.fragment_ranges import KRange
from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import simdgroup, split_k
from .strategy import Reject, Stage, Strategy

# Not measured: 8 simdgroups on each of 8 to 40 cores, of which each takes some 24.
_ENOUGH = 64
_SPLIT_FROM = 1024
_MIN_TERMS = 256
_MAX_RANGES = 16


@dataclass(frozen=True)
class Config(simdgroup.Config):
    """That of simdgroup, over `ranges` ranges of k."""

    ranges: int = 2


def configure(problem: Problem, target: Target) -> Config | Reject:
    base = simdgroup.configure(problem, target)
    if isinstance(base, Reject):
        return Reject("for the reasons of simdgroup")
    if base.exact:
        return Reject("integers are not split")
    sizes = [s.static for s in (problem.m, problem.n, problem.batch)]
    k = problem.k.static
    if None in sizes or k is None:
        return Reject("the number of ranges needs static sizes")
    m, n, batch = (s for s in sizes if s is not None)
    if k < _SPLIT_FROM:
        return Reject(f"k is {k}: fewer than {_SPLIT_FROM} terms")
    tiles = -(-m // base.tile_m) * -(-n // base.tile_n) * batch
    planes = split_k.MAX_SCRATCH_BYTES // (4 * m * n * batch)
    ranges = min(_MAX_RANGES, _ENOUGH // tiles, k // _MIN_TERMS, planes)
    if ranges < 2:
        return Reject(f"{tiles} workgroups: enough without splitting")
    return Config(**asdict(base), ranges=split_k.filled(k // base.tile_k, ranges))


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane."""
    k_range = KRange.of_workgroup(kernel, config, config.ranges)
    product = simdgroup.product_of(k_range.owner, config)
    k_range.store(product, lambda steps: simdgroup.sums(product, config, steps))


def stages(config: Config) -> tuple[Stage, ...]:
    ranges = split_k.ranges_stage(
        config, emit_ranges, subgroup_size=SUBGROUP, packed=config.packed
    )
    return ranges, split_k.join_stage(config.ranges)


STRATEGY = Strategy(
    "simdgroup-split-k",
    "simdgroup",
    Config,
    configure,
    stages,
    planes=lambda config: config.ranges,
    on_matrix_hardware=True,
)
