# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register tiles on scalar units, operands staged in workgroup memory.

A workgroup computes one tile of C. Each invocation holds `thread_m` x `thread_n`
outputs in registers, in runs of four rows and columns that are interleaved over the
invocations, so that neighbors read neighboring words of workgroup memory.

Order of additions: `chain` terms in increasing k are chained with fused multiply-add,
then the chain joins the total; without a chain, all of k is one.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.reduction import SumOverK, outer_product, unrolled
from iree_gemm.passes.emit.staging import Stager, Staging
from iree_gemm.passes.emit.store import store_outputs
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .strategy import INPUTS, Reject, Stage, Strategy

RUN = 4
"""Neighboring rows or columns of an invocation: drivers load them as one vector."""

_BLOCK_ROWS, _BLOCK_COLUMNS = 4, 8
_PADDING = 4
"""Words after a row of workgroup memory, against bank conflicts of the stores."""


@dataclass(frozen=True)
class Config:
    """Sizes in elements. `unroll` k are written out of the `tile_k` of a step.

    `chain` is the number of terms between joins; zero makes all of k one chain.
    """

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    thread_m: int = 4
    thread_n: int = 4
    unroll: int = 16
    chain: int = 128

    def __post_init__(self) -> None:
        if self.tile_m % (self.thread_m * RUN) or self.tile_n % self.thread_n:
            raise ValueError(f"the thread tile does not divide the tile: {self}")
        if self.thread_m % RUN or self.thread_n % RUN:
            raise ValueError(f"the thread tile is not made of runs of {RUN}: {self}")
        if self.threads_m % _BLOCK_ROWS or self.threads_n % _BLOCK_COLUMNS:
            raise ValueError(f"threads are not blocks of 4 x 8: {self}")
        if self.chain % self.tile_k or self.tile_k % self.unroll:
            raise ValueError(f"the k step does not divide the chain: {self}")

    @property
    def threads_m(self) -> int:
        return self.tile_m // self.thread_m

    @property
    def threads_n(self) -> int:
        return self.tile_n // self.thread_n

    @property
    def threads(self) -> int:
        return self.threads_m * self.threads_n

    @property
    def workgroup_bytes(self) -> int:
        return (self.tile_m + self.tile_n + 2 * _PADDING) * self.tile_k * 4


# H200, chained dispatches, 4096^3 in TFLOP/s, 2026-11-30: LARGE 40.4, 128 x 128 x 8
# with 16 x 8 an invocation 39.2, MEDIUM 36.3, 64 x 64 x 16 with 4 x 4 31.4.
LARGE = Config(thread_m=8, tile_n=128, thread_n=8)
MEDIUM = Config(thread_m=8)
SMALL = Config(tile_n=32, unroll=4)
LEAST = Config(tile_m=32, tile_n=32, unroll=4)
_LARGE_TILES = 256
"""Large tiles from so many workgroups on: fewer leave multiprocessors idle."""

_FULL_THREADS = 256
"""Devices of fewer invocations are small ones, with fewer registers too."""


def configure(problem: Problem, target: Target) -> Config | Reject:
    candidates = [LARGE] if _is_large(problem) else []
    candidates += [MEDIUM] if target.max_threads >= _FULL_THREADS else []
    for config in (*candidates, SMALL, LEAST):
        if config.threads > target.max_threads:
            continue
        if config.workgroup_bytes <= target.workgroup_memory:
            return config
    return Reject(
        f"no tile fits {target.max_threads} invocations and "
        f"{target.workgroup_memory} bytes of workgroup memory"
    )


def _is_large(problem: Problem) -> bool:
    sizes = [s.static for s in (problem.m, problem.n, problem.batch)]
    if None in sizes:
        return False
    m, n, batch = (s for s in sizes if s is not None)
    tiles = -(-m // LARGE.tile_m) * -(-n // LARGE.tile_n) * batch
    return tiles >= _LARGE_TILES


def sums(
    owner: Tile, config: Config, k_range: tuple[Index, Index]
) -> tuple[list[Index], list[Index], list[ir.Value]]:
    """Rows and columns within the tile of an invocation, and its sums over a range."""
    kernel = owner.kernel
    row, column = _place(kernel, config)
    rows = _runs(kernel, row, config.thread_m, config.threads_m)
    columns = _runs(kernel, column, config.thread_n, config.threads_n)
    lhs = kernel.workgroup_tile(config.tile_k, config.tile_m, _PADDING)
    rhs = kernel.workgroup_tile(config.tile_k, config.tile_n, _PADDING)
    staging = Staging(
        (Stager(owner, "lhs", lhs), Stager(owner, "rhs", rhs)), config.tile_k
    )
    count = config.thread_m * config.thread_n

    def multiply(kk: Index, sums: list[ir.Value]) -> list[ir.Value]:
        a = [lhs.load(kk, r) for r in rows]
        b = [rhs.load(kk, c) for c in columns]
        return outer_product(kernel, a, b, sums)

    def step(k: Index, carried: list[ir.Value], is_tail: bool) -> list[ir.Value]:
        ahead = staging.advance(k, carried[count:], is_tail)
        unroll = 1 if is_tail else config.unroll
        bounds = (0, config.tile_k, unroll)
        return [*unrolled(kernel, bounds, carried[:count], multiply), *ahead]

    order = SumOverK(kernel, config.tile_k, config.tile_k, config.chain, count)
    return rows, columns, order.over(k_range, step, staging.first(k_range[0]))


def _place(kernel: Kernel, config: Config) -> tuple[Index, Index]:
    """The row and the column of an invocation among the others.

    32 neighbors are 4 rows of 8, so that they read few different words of either side
    at a time: 64 x 128 tiles at 4096^3 on an H200, 40.4 TFLOP/s against 37.8.
    """
    blocks_n = config.threads_n // _BLOCK_COLUMNS
    block = kernel.div(kernel.thread_id, _BLOCK_ROWS * _BLOCK_COLUMNS)
    within = kernel.rem(kernel.thread_id, _BLOCK_ROWS * _BLOCK_COLUMNS)
    rows = kernel.mul(kernel.div(block, blocks_n), _BLOCK_ROWS)
    columns = kernel.mul(kernel.rem(block, blocks_n), _BLOCK_COLUMNS)
    row = kernel.add(rows, kernel.div(within, _BLOCK_COLUMNS))
    return row, kernel.add(columns, kernel.rem(within, _BLOCK_COLUMNS))


def _runs(kernel: Kernel, thread: Index, count: int, threads: int) -> list[Index]:
    """`count` positions of a thread in runs, interleaved over the threads."""
    first = kernel.mul(thread, RUN)
    return [
        kernel.add(first, start * threads + n)
        for start in range(0, count, RUN)
        for n in range(RUN)
    ]


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    store_outputs(owner, *sums(owner, config, (0, kernel.k)))


def stages(config: Config) -> tuple[Stage, ...]:
    return (
        Stage(
            "",
            INPUTS,
            "results",
            config.threads,
            lambda grid: grid.tiles(config.tile_m, config.tile_n),
            lambda kernel: emit(kernel, config),
            width=RUN,
        ),
    )


STRATEGY = Strategy("tile", "tile", Config, configure, stages)
