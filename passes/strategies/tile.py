# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register tiles on scalar units, operands staged in workgroup memory.

A workgroup computes one tile of C. Each invocation holds `thread_m` x `thread_n`
outputs in registers, in runs of four rows and columns that are interleaved over the
invocations. Where a product has few tiles, `slices` groups of invocations compute the
same tile from parts of each k step, and add their sums through workgroup memory.

Order of additions: `chain` terms of a slice in increasing k are chained with fused
multiply-add, then the chain joins the slice's total; without a chain, all of k is one.
The second half of the slices is added to the first, until one is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from iree.compiler import ir

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.memory import RUN, Buffer
from iree_gemm.passes.emit.reduction import SumOverK, outer_product, unrolled
from iree_gemm.passes.emit.side_tile import SideTile
from iree_gemm.passes.emit.staging import Stager, Staging
from iree_gemm.passes.emit.store import store_outputs, vectors
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .sizes import Sizes
from .strategy import Reject, Stage, Strategy, one_dispatch
from .tile_cost import Rate, microseconds

_BLOCK_ROWS, _BLOCK_COLUMNS = 4, 8


@dataclass(frozen=True)
class Config:
    """Sizes in elements; `tile_k` and `unroll` are terms of a slice in a k step.

    `unroll` of them are written out. `chain` is the number of terms of a slice between
    joins; zero makes all of k one chain.
    """

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    thread_m: int = 4
    thread_n: int = 4
    unroll: int = 16
    chain: int = 128
    slices: int = 1

    def __post_init__(self) -> None:
        if self.tile_m % (self.thread_m * RUN) or self.tile_n % self.thread_n:
            raise ValueError(f"the thread tile does not divide the tile: {self}")
        if self.thread_m % RUN or self.thread_n % RUN:
            raise ValueError(f"the thread tile is not made of runs of {RUN}: {self}")
        if self.threads_m % _BLOCK_ROWS or self.threads_n % _BLOCK_COLUMNS:
            raise ValueError(f"threads are not blocks of 4 x 8: {self}")
        if self.chain % self.tile_k or self.tile_k % self.unroll:
            raise ValueError(f"the k step does not divide the chain: {self}")
        for positions in (self.tile_m, self.tile_n):
            if positions * self.step // RUN % self.threads:
                raise ValueError(f"a k step does not feed all invocations: {self}")
        if self.slices < 1 or self.slices & (self.slices - 1):
            raise ValueError(f"the slices are not a power of two: {self}")

    @property
    def threads_m(self) -> int:
        return self.tile_m // self.thread_m

    @property
    def threads_n(self) -> int:
        return self.tile_n // self.thread_n

    @property
    def slice_threads(self) -> int:
        return self.threads_m * self.threads_n

    @property
    def threads(self) -> int:
        return self.slice_threads * self.slices

    @property
    def step(self) -> int:
        return self.tile_k * self.slices

    @property
    def workgroup_bytes(self) -> int:
        positions = (self.tile_m, self.tile_n)
        staged = sum(SideTile.elements(self.step, p) for p in positions)
        partial = self.slices // 2 * self.tile_m * self.tile_n
        return (staged + partial) * 4


LARGE = Config(thread_m=8, tile_n=128, thread_n=8)
MEDIUM = Config(thread_m=8)
SLICED = Config(32, 32, tile_k=8, unroll=8, slices=4)
FLAT = Config(tile_m=16, slices=4)
# For devices with fewer invocations, which have fewer registers too.
SMALL = Config(tile_n=32, unroll=4)
LEAST = Config(tile_m=32, tile_n=32, unroll=4)

# Those of an H200, 2026-11-30: see tile_cost.py. At 4096^3 they were 3118 us for LARGE,
# 3343 for 128 x 128 x 16 with 8 x 8 an invocation, 3663 for MEDIUM.
RATES = {
    LARGE: Rate(170, together=2),
    MEDIUM: Rate(144),
    SLICED: Rate(93),
    FLAT: Rate(81),
    SMALL: Rate(103),
    LEAST: Rate(90),
}
_USUAL = (MEDIUM, SMALL, LEAST)
"""For sizes that only the run knows, the largest first."""

_FULL_THREADS = 256
"""Devices of fewer invocations are taken to be small ones."""


def configure(problem: Problem, target: Target) -> Config | Reject:
    valid = fitting(target)
    if isinstance(valid, Reject):
        return valid
    sizes = Sizes.of(problem, target)
    if sizes is None:
        return next(config for config in _USUAL if config in valid)
    return min(valid, key=lambda config: time_of(config, sizes))


def time_of(config: Config, sizes: Sizes, ranges: int = 1) -> float:
    """The estimated time in us of a product in ranges of k."""
    size = config.tile_m, config.tile_n
    return microseconds(size, RATES[config], sizes, ranges)


def fitting(target: Target) -> list[Config] | Reject:
    """The configurations for a target."""
    is_full = target.max_threads >= _FULL_THREADS
    candidates = (LARGE, MEDIUM, SLICED, FLAT, SMALL, LEAST)
    valid = [
        config
        for config in (candidates if is_full else (SMALL, LEAST))
        if not [*target.excesses(config.threads, config.workgroup_bytes)]
    ]
    return valid or Reject(
        f"no tile fits {target.max_threads} invocations and "
        f"{target.workgroup_memory} bytes of workgroup memory"
    )


@dataclass(frozen=True)
class Place:
    """The part of a tile that an invocation computes, and its slice of each k step."""

    slice: Index
    row_runs: list[Index]
    column_runs: list[Index]

    @staticmethod
    def of(kernel: Kernel, config: Config) -> Place:
        """32 neighbors are 4 rows of 8, so that they read few different words of either
        side at a time: 64 x 128 tiles at 4096^3 on an H200, 40.4 TFLOP/s against 37.8.
        """
        number, thread = 0, kernel.thread_id
        if config.slices > 1:
            number = kernel.div(thread, config.slice_threads)
            thread = kernel.rem(thread, config.slice_threads)
        blocks_n = config.threads_n // _BLOCK_COLUMNS
        block = kernel.div(thread, _BLOCK_ROWS * _BLOCK_COLUMNS)
        within = kernel.rem(thread, _BLOCK_ROWS * _BLOCK_COLUMNS)
        rows = kernel.mul(kernel.div(block, blocks_n), _BLOCK_ROWS)
        columns = kernel.mul(kernel.rem(block, blocks_n), _BLOCK_COLUMNS)
        row = kernel.add(rows, kernel.div(within, _BLOCK_COLUMNS))
        column = kernel.add(columns, kernel.rem(within, _BLOCK_COLUMNS))
        return Place(
            number,
            _interleaved(kernel, row, config.thread_m, config.threads_m),
            _interleaved(kernel, column, config.thread_n, config.threads_n),
        )

    def rows(self, kernel: Kernel) -> list[Index]:
        return _positions(kernel, self.row_runs)

    def columns(self, kernel: Kernel) -> list[Index]:
        return _positions(kernel, self.column_runs)


def _interleaved(kernel: Kernel, run: Index, count: int, threads: int) -> list[Index]:
    """The runs of an invocation with `count` positions, whose first is `run`."""
    return [kernel.add(run, n * threads) for n in range(count // RUN)]


def _positions(kernel: Kernel, runs: list[Index]) -> list[Index]:
    return [kernel.add(kernel.mul(run, RUN), n) for run in runs for n in range(RUN)]


def _sums(
    owner: Tile, config: Config, place: Place, k_range: tuple[Index, Index]
) -> list[ir.Value]:
    """An invocation's sums over a range: of the k steps, those terms of its slice."""
    kernel = owner.kernel
    lhs, rhs = (Stager(owner, side, config.step) for side in ("lhs", "rhs"))
    staging = Staging((lhs, rhs), config.step)
    count = config.thread_m * config.thread_n
    first_term = kernel.mul(place.slice, config.tile_k)

    def multiply(term: Index, sums: list[ir.Value]) -> list[ir.Value]:
        term = kernel.add(first_term, term)
        a = lhs.tile.load(term, place.row_runs)
        b = rhs.tile.load(term, place.column_runs)
        return outer_product(kernel, a, b, sums)

    def step(k: Index, carried: list[ir.Value], is_tail: bool) -> list[ir.Value]:
        ahead = staging.advance(k, carried[count:], is_tail)
        bounds = (0, config.tile_k, 1 if is_tail else config.unroll)
        return [*unrolled(kernel, bounds, carried[:count], multiply), *ahead]

    chain = config.chain * config.slices
    order = SumOverK(kernel, config.step, config.step, chain, count)
    return order.over(k_range, step, staging.first(k_range[0]))


def compute(
    owner: Tile,
    config: Config,
    k_range: tuple[Index, Index],
    store: Callable[[list[Index], list[Index], list[ir.Value]], None],
) -> None:
    """Sums over a range of k, which `store` gets with rows and columns in the tile."""
    kernel = owner.kernel
    place = Place.of(kernel, config)
    values = _joined(kernel, config, place, _sums(owner, config, place, k_range))
    kernel.if_(
        [] if config.slices == 1 else [kernel.less(place.slice, 1)],
        partial(store, place.rows(kernel), place.columns(kernel), values),
    )


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    compute(owner, config, (0, kernel.k), partial(store_outputs, owner))


def _joined(
    kernel: Kernel, config: Config, place: Place, sums: list[ir.Value]
) -> list[ir.Value]:
    """The first slice's invocations get the sums of all: halves are added in turn."""
    half = config.slices // 2
    if not half:
        return sums
    planes = kernel.workgroup_buffer(half * config.slice_threads * len(sums), RUN)
    thread = kernel.rem(kernel.thread_id, config.slice_threads)
    runs = vectors(sums, RUN)
    while half:
        plane = kernel.rem(place.slice, half)
        first = kernel.add(kernel.mul(plane, config.slice_threads * len(runs)), thread)
        slots = [kernel.add(first, n * config.slice_threads) for n in range(len(runs))]
        is_upper = [
            kernel.less(half - 1, place.slice),
            kernel.less(place.slice, 2 * half),
        ]
        kernel.if_(is_upper, partial(_store, planes, runs, slots))
        kernel.barrier()
        runs = [
            kernel.plus(run, planes.load_slot(slot))
            for run, slot in zip(runs, slots, strict=True)
        ]
        half //= 2
        if half:
            kernel.barrier()
    return [x for run in runs for x in kernel.elements(run)]


def _store(planes: Buffer, runs: list[ir.Value], slots: list[Index]) -> None:
    for run, slot in zip(runs, slots, strict=True):
        planes.store_slot(run, slot)


def stages(config: Config) -> tuple[Stage, ...]:
    return one_dispatch(config, (config.tile_m, config.tile_n), emit, width=RUN)


STRATEGY = Strategy("tile", "tile", Config, configure, stages)
