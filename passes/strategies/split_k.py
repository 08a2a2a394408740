# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile over ranges of k, for products with too few tiles to fill a device.

Each range writes its sums to a plane of scratch; a second dispatch adds the planes in
the order of their ranges, then does the epilogue.

Order of additions: within a range as the tile's; the ranges in increasing k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.memory import RUN
from iree_gemm.passes.emit.scratch import store_sums, sum_planes
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import tile
from .sizes import Sizes
from .strategy import Grid, Reject, Stage, Strategy

_RANGES = (2, 3, 4, 6, 8, 12, 16)
_MIN_TERMS = 64
_RANGE_MULTIPLE = 32
MAX_SCRATCH_BYTES = 16 * 2**20
_JOINING_THREADS = 64


@dataclass(frozen=True)
class Config(tile.Config):
    """The tile's, over `ranges` ranges of k."""

    ranges: int = 2

    @property
    def multiple(self) -> int:
        """A range has a multiple of so many terms: whole k steps."""
        return max(_RANGE_MULTIPLE, self.step)


def configure(problem: Problem, target: Target) -> Config | Reject:
    valid = tile.fitting(target)
    if isinstance(valid, Reject):
        return valid
    ranges = possible_ranges(problem, Sizes.of(problem, target), _MIN_TERMS)
    if isinstance(ranges, Reject):
        return ranges
    sizes, counts = ranges
    config, count = min(
        ((config, count) for config in valid for count in counts),
        key=lambda split: tile.time_of(split[0], sizes, split[1]),
    )
    split = Config(**asdict(config), ranges=count)
    return replace(split, ranges=filled(-(-sizes.k // split.multiple), count))


def possible_ranges(
    problem: Problem, sizes: Sizes | None, least: int
) -> tuple[Sizes, list[int]] | Reject:
    """Into how many ranges of at least so many terms k can be split."""
    if sizes is None or problem.k.static is None:
        return Reject("the number of ranges needs static sizes")
    if sizes.k < 2 * least:
        return Reject(f"k is {sizes.k}: fewer than {2 * least} terms")
    planes = MAX_SCRATCH_BYTES // sizes.plane_bytes
    if planes < 2:
        return Reject(f"two planes of sums exceed {MAX_SCRATCH_BYTES >> 20} MiB")
    most = min(planes, sizes.k // least)
    return sizes, [count for count in _RANGES if count <= most]


def reason_to_pass(problem: Problem, target: Target, config: Config) -> str | None:
    """Why all of k in one range is faster."""
    sizes, valid = Sizes.of(problem, target), tile.fitting(target)
    assert sizes is not None
    assert not isinstance(valid, Reject)
    base = asdict(config)
    ranges = base.pop("ranges")
    split = tile.time_of(tile.Config(**base), sizes, ranges)
    return longer(split, min(tile.time_of(c, sizes) for c in valid))


def longer(split: float, in_one: float) -> str | None:
    if split < in_one:
        return None
    return f"ranges would take {split:.0f} us, and one takes {in_one:.0f}"


def emit_ranges(kernel: Kernel, config: Config) -> None:
    """Sums one range of k of one tile into the range's plane."""
    number = kernel.rem(kernel.workgroup_id(2), config.ranges)
    batch = kernel.div(kernel.workgroup_id(2), config.ranges)
    owner = Tile.of_batch(kernel, config.tile_m, config.tile_n, batch)
    terms = kernel.ceildiv(kernel.k, config.ranges)
    terms = kernel.mul(kernel.ceildiv(terms, config.multiple), config.multiple)
    first = kernel.min(kernel.mul(number, terms), kernel.k)
    last = kernel.min(kernel.add(first, terms), kernel.k)
    plane = kernel.add(kernel.mul(number, kernel.batches), batch)
    tile.compute(owner, config, (first, last), partial(store_sums, owner, plane))


def ranges_stage(
    config: Any, emit: Callable[[Kernel, Any], None], **more: Any
) -> Stage:
    """One workgroup for each tile of C and each of `config.ranges` ranges of k."""

    def ranges(grid: Grid) -> tuple[Index, Index, Index]:
        x, y, batch = grid.tiles(config.tile_m, config.tile_n)
        return x, y, grid.arithmetic.mul(batch, config.ranges)

    return Stage(
        "ranges",
        ("lhs", "rhs"),
        "scratch",
        config.threads,
        ranges,
        lambda kernel: emit(kernel, config),
        **more,
    )


def join_stage(ranges: int) -> Stage:
    return Stage(
        "join",
        ("extras", "scratch"),
        "results",
        _JOINING_THREADS,
        lambda grid: grid.elements(_JOINING_THREADS * RUN),
        lambda kernel: sum_planes(kernel, ranges),
        width=RUN,
    )


def filled(steps: int, ranges: int) -> int:
    """At most so many ranges of whole steps, so that none is empty."""
    return -(-steps // -(-steps // ranges))


def stages(config: Config) -> tuple[Stage, ...]:
    return ranges_stage(config, emit_ranges, width=RUN), join_stage(config.ranges)


STRATEGY = Strategy(
    "split-k",
    "split-k",
    Config,
    configure,
    stages,
    planes=lambda config: config.ranges,
    reason_to_pass=reason_to_pass,
)
