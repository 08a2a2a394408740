# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register tiles straight from the buffers, without workgroup memory.

For targets where barriers and workgroup memory cost more than they save: on a CPU,
where the caches do what staging does on a GPU.

Order of additions: `chain` terms in increasing k are chained with fused multiply-add,
then the chain joins the total.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir

from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.direct import DirectSide
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.memory import RUN
from iree_gemm.passes.emit.reduction import SumOverK, outer_product
from iree_gemm.passes.emit.store import store_outputs
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .strategy import Reject, Stage, Strategy, one_dispatch


@dataclass(frozen=True)
class Config:
    """Sizes in elements; the workgroup is `threads_m` x `threads_n` invocations."""

    thread_m: int = 8
    thread_n: int = 8
    threads_m: int = 1
    threads_n: int = 8
    chain: int = 128

    def __post_init__(self) -> None:
        for run in (self.thread_m, self.thread_n, self.chain):
            if run % RUN:
                raise ValueError(f"{run} is not made of runs of {RUN}: {self}")

    @property
    def threads(self) -> int:
        return self.threads_m * self.threads_n

    @property
    def tile_m(self) -> int:
        return self.threads_m * self.thread_m

    @property
    def tile_n(self) -> int:
        return self.threads_n * self.thread_n


def configure(problem: Problem, target: Target) -> Config | Reject:
    if not target.is_software:
        return Reject("staging in workgroup memory pays on this target")
    return Config()


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    column = kernel.mul(kernel.rem(kernel.thread_id, config.threads_n), config.thread_n)
    row = kernel.mul(kernel.div(kernel.thread_id, config.threads_n), config.thread_m)
    rows = [kernel.add(row, i) for i in range(config.thread_m)]
    columns = [kernel.add(column, j) for j in range(config.thread_n)]
    lhs = DirectSide(owner, "lhs", rows)
    rhs = DirectSide(owner, "rhs", columns)

    def step(k: Index, sums: list[ir.Value], is_tail: bool) -> list[ir.Value]:
        count = 1 if is_tail else RUN
        a, b = lhs.load(k, count), rhs.load(k, count)
        for kk in range(count):
            sums = outer_product(kernel, a[kk], b[kk], sums)
        return sums

    count = config.thread_m * config.thread_n
    order = SumOverK(kernel, RUN, 1, config.chain, count)
    totals = order.over((0, kernel.k), step, [])
    store_outputs(owner, rows, columns, totals)


def stages(config: Config) -> tuple[Stage, ...]:
    return one_dispatch(config, (config.tile_m, config.tile_n), emit, width=RUN)


STRATEGY = Strategy("direct", "tile", Config, configure, stages)
