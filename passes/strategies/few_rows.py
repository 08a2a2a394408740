# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams B once for a few rows of A; the limit is the bandwidth of memory.

A workgroup owns `columns` columns of C and all its rows. Its invocations share k in
interleaved slices; neighbors read neighbors along the contiguous axis of B.

Order of additions: each slice chains its terms in increasing k; then slices a quarter,
half and three quarters of all away are added to each of the first quarter, until at
most eight are left, which are added in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.passes.emit.streaming import Stream, add_slices
from iree_gemm.problem import Operand, Problem
from iree_gemm.target import Target

from .strategy import INPUTS, Reject, Stage, Strategy

_MAX_ROWS = 4
_MAX_ROWS_8_BIT = 16
_VECTOR = 4
_WIDE = 8192


@dataclass(frozen=True)
class Config:
    """An invocation sums `rows` x `lane_columns` of C, `lane_terms` terms at a time.

    `unroll` blocks of terms are in flight at once. `by_term` lays neighbors out along
    k, as B is contiguous there, and else along n.
    """

    rows: int
    columns: int
    slices: int
    lane_columns: int
    lane_terms: int
    by_term: bool
    unroll: int = 4

    def __post_init__(self) -> None:
        if self.columns % self.lane_columns:
            raise ValueError(f"vectors do not divide the columns: {self}")

    @property
    def threads(self) -> int:
        return self.columns // self.lane_columns * self.slices

    @property
    def workgroup_bytes(self) -> int:
        return self.slices * self.rows * self.columns * 4


def configure(problem: Problem, target: Target) -> Config | Reject:
    if reason := _reason_against(problem):
        return Reject(reason)
    by_term = problem.unit_kind(problem.rhs) == "k"
    lane_columns = _VECTOR if _is_vector(problem, problem.rhs, "n") else 1
    is_term_vector = any(
        _is_vector(problem, side, "k") for side in (problem.lhs, problem.rhs)
    )
    threads = min(256, target.max_threads)
    columns = 8 if by_term else 32 if problem.n.factor >= _WIDE else 16
    rows = problem.m.static
    assert rows is not None
    slices = threads * lane_columns // columns
    while slices * rows * columns * 4 > target.workgroup_memory:
        slices //= 2
    terms = _VECTOR if is_term_vector else 1
    return Config(rows, columns, slices, lane_columns, terms, by_term)


def _reason_against(problem: Problem) -> str | None:
    limit = _MAX_ROWS_8_BIT if _is_8_bit(problem) else _MAX_ROWS
    if problem.m.static is None or not 1 <= problem.m.static <= limit:
        return f"m is {problem.m}: not 1 to {limit} rows"
    if problem.unit_kind(problem.lhs) not in ("k", None):
        return "A is transposed"
    if len(problem.axes_of("m")) > 1:
        return "the rows of C are not one dimension"
    return None


def _is_vector(problem: Problem, side: tuple[Operand, ...], kind: str) -> bool:
    return problem.unit_kind(side) == kind and problem.is_vectorizable(side, _VECTOR)


def _is_8_bit(problem: Problem) -> bool:
    return any(operand.bits == 8 for operand in problem.rhs)


def emit(kernel: Kernel, config: Config) -> None:
    stream = Stream.of(kernel, config)
    sums = stream.sums()
    partial = kernel.workgroup_tile(config.slices, config.rows * config.columns)
    for n, value in enumerate(sums):
        row, column = divmod(n, config.lane_columns)
        at = kernel.add(stream.column, row * config.columns + column)
        partial.store(value, stream.slice, at)
    kernel.barrier()
    add_slices(stream.owner, partial)


def stages(config: Config) -> tuple[Stage, ...]:
    return (
        Stage(
            "",
            INPUTS,
            "results",
            config.threads,
            lambda grid: grid.tiles(config.rows, config.columns),
            lambda kernel: emit(kernel, config),
        ),
    )


STRATEGY = Strategy("few-rows", "few-rows", Config, configure, stages)
