# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register tiles on scalar units, operands staged in workgroup memory.

A workgroup computes one tile of C. Each invocation holds `thread_m` x `thread_n`
outputs in registers, with rows and columns interleaved over the invocations so that
neighbors read neighboring words of workgroup memory.

Order of additions: `chain` terms in increasing k are chained with fused multiply-add,
then the chain joins the total.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.reduction import Steps, outer_product, sum_over_k
from iree_gemm.passes.emit.staging import Stager
from iree_gemm.passes.emit.store import store_outputs
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .strategy import INPUTS, Reject, Stage, Strategy


@dataclass(frozen=True)
class Config:
    """Sizes in elements; `chain` is the number of terms between joins."""

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    thread_m: int = 4
    thread_n: int = 4
    chain: int = 128

    def __post_init__(self) -> None:
        if self.tile_m % self.thread_m or self.tile_n % self.thread_n:
            raise ValueError(f"the thread tile does not divide the tile: {self}")
        if self.chain % self.tile_k:
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
        return (self.tile_m + self.tile_n) * self.tile_k * 4


CONFIGS = (Config(), Config(tile_n=32), Config(tile_m=32, tile_n=32))


def configure(problem: Problem, target: Target) -> Config | Reject:
    for config in CONFIGS:
        if config.threads > target.max_threads:
            continue
        if config.workgroup_bytes <= target.workgroup_memory:
            return config
    return Reject(
        f"no tile fits {target.max_threads} invocations and "
        f"{target.workgroup_memory} bytes of workgroup memory"
    )


def sums(
    owner: Tile, config: Config, k_range: tuple[Index, Index]
) -> tuple[list[Index], list[Index], list[ir.Value]]:
    """Rows and columns within the tile of an invocation, and its sums over a range."""
    kernel = owner.kernel
    lhs = kernel.workgroup_tile(config.tile_k, config.tile_m)
    rhs = kernel.workgroup_tile(config.tile_k, config.tile_n)
    stagers = (Stager(owner, "lhs", lhs), Stager(owner, "rhs", rhs))
    column = kernel.rem(kernel.thread_id, config.threads_n)
    row = kernel.div(kernel.thread_id, config.threads_n)
    rows = [kernel.add(row, i * config.threads_m) for i in range(config.thread_m)]
    columns = [kernel.add(column, j * config.threads_n) for j in range(config.thread_n)]

    def step(k: Index, sums: list[ir.Value], is_tail: bool) -> list[ir.Value]:
        loaded = [stager.load(k, is_tail) for stager in stagers]
        kernel.barrier()
        for stager, values in zip(stagers, loaded, strict=True):
            stager.store(values)
        kernel.barrier()
        for kk in range(config.tile_k):
            a = [lhs.load(kk, r) for r in rows]
            b = [rhs.load(kk, c) for c in columns]
            sums = outer_product(kernel, a, b, sums)
        return sums

    steps = Steps(config.tile_k, config.tile_k, config.chain)
    count = config.thread_m * config.thread_n
    return rows, columns, sum_over_k(kernel, steps, k_range, count, step)


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
        ),
    )


STRATEGY = Strategy("tile", "tile", Config, configure, stages)
