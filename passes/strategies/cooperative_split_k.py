# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cooperative matrices over ranges of k, for long k on few tiles.

Each range writes its sums to a plane of scratch; a second dispatch adds the planes in
the order of their ranges, then does the epilogue.

Order of additions: within a range one chain, 16 terms at a time; the ranges in
increasing k.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from iree_gemm.passes.emit.fragment_layout import SUBGROUP
from iree_gemm.passes.emit.fragment_ranges import KRange
from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import cooperative, split_k
from .cooperative_cost import microseconds
from .sizes import Sizes
from .strategy import Reject, Stage, Strategy

_MIN_TERMS = 192


@dataclass(frozen=True)
class Config(cooperative.Config):
    """The cooperative one's, over `ranges` ranges of k."""

    ranges: int = 2


def configure(problem: Problem, target: Target) -> Config | Reject:
    valid = cooperative.fitting(problem, target)
    if isinstance(valid, Reject):
        return Reject("for the reasons of cooperative")
    ranges = split_k.possible_ranges(problem, Sizes.of(problem, target), _MIN_TERMS)
    if isinstance(ranges, Reject):
        return ranges
    sizes, counts = ranges
    config, count = min(
        ((config, count) for config in valid for count in counts),
        key=lambda split: microseconds(split[0], sizes, split[1]),
    )
    filled = split_k.filled(sizes.k // config.tile_k, count)
    return Config(**asdict(config), ranges=filled)


def reason_to_pass(problem: Problem, target: Target, config: Config) -> str | None:
    """Why all of k in one range is faster."""
    sizes, valid = Sizes.of(problem, target), cooperative.fitting(problem, target)
    assert sizes is not None
    assert not isinstance(valid, Reject)
    split = microseconds(config, sizes, config.ranges)
    return split_k.longer(split, min(microseconds(c, sizes) for c in valid))


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane."""
    k_range = KRange.of_workgroup(kernel, config, config.ranges)
    product = cooperative.product_of(k_range.owner, config)
    k_range.store(product, product.staged)


def stages(config: Config) -> tuple[Stage, ...]:
    portable = split_k.Config(**asdict(cooperative.PORTABLE), ranges=config.ranges)
    fallback, join = split_k.stages(portable)
    ranges = split_k.ranges_stage(
        config,
        emit_ranges,
        subgroup_size=SUBGROUP,
        packed=True,
        needs=cooperative.needs(config),
        fallback=fallback,
    )
    return ranges, join


STRATEGY = Strategy(
    "cooperative-split-k",
    "cooperative",
    Config,
    configure,
    stages,
    planes=lambda config: config.ranges,
    reason_to_pass=reason_to_pass,
    on_matrix_hardware=True,
)
