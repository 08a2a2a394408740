# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams B once for a few rows of A; the limit is the bandwidth of memory.

A workgroup owns `columns` columns of C and all its rows. Its invocations share k in
interleaved slices; neighbors read neighbors along the contiguous axis of B.

Order of additions: each slice chains its terms in increasing k; then slices a quarter,
half and three quarters of all away are added to each of the first quarter, until at
most eight are left, which are added in order.
"""

from __future__ import annotations

from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.passes.emit.memory import RUN
from iree_gemm.passes.emit.streaming import Layout as Config
from iree_gemm.passes.emit.streaming import Stream, add_slices
from iree_gemm.problem import Operand, Problem
from iree_gemm.target import Target

from .strategy import Reject, Stage, Strategy, one_dispatch

# By the bits of B: in f16, 8 rows take 19 us, and 17 in cooperative matrices.
_MAX_ROWS = {32: 8, 16: 6, 8: 16}
# H200, chained dispatches, 2026-11-30, us: 1x768x768 16 columns 8.4, 32 columns 9.5;
# 1x3072x768 11.9 and 8.8; 1x768x3072 512 invocations 10.6, 256 11.9. B as N x K: 4
# columns 7.8, 8 columns 8.9; 1x51865x768 the other way round. A dispatch without work
# takes about 5 of these.
_BROAD, _WIDE, _LONG = 2048, 8192, 2048
_COLUMN_UNROLL, _TERM_UNROLL = 4, 6
# N = K = 4096: 5 rows 25.7 us by 1 block and 34.3 by 2, 8 rows 47.2 and 39.8.
_FEW, _SOME = 4, 6


def configure(problem: Problem, target: Target) -> Config | Reject:
    if reason := _reason_against(problem):
        return Reject(reason)
    by_term = problem.unit_kind(problem.rhs) == "k"
    lane_columns = RUN if _is_vector(problem, problem.rhs, "n") else 1
    is_term_vector = any(
        _is_vector(problem, side, "k") for side in (problem.lhs, problem.rhs)
    )
    columns, threads = _shape(problem, by_term, lane_columns)
    threads = min(threads, target.max_threads)
    rows = problem.m.static
    assert rows is not None
    slices = threads * lane_columns // columns
    while slices * rows * columns * 4 > target.workgroup_memory:
        slices //= 2
    terms = RUN if is_term_vector else 1
    unroll = _unroll(rows, by_term, lane_columns)
    return Config(rows, columns, slices, lane_columns, terms, by_term, unroll)


def _shape(problem: Problem, by_term: bool, lane_columns: int) -> tuple[int, int]:
    """Columns of a workgroup and its invocations."""
    is_long = problem.k.factor >= _LONG and problem.k.static is not None
    if by_term:
        rows = problem.m.static
        is_wide = problem.n.factor >= _WIDE and rows is not None and rows <= _FEW
        columns = 8 if is_wide else 4
        return columns, 256 if is_long or columns == 8 else 128
    if lane_columns == 1:
        return 64, 256
    return 32 if problem.n.factor >= _BROAD else 16, 512 if is_long else 256


def _unroll(rows: int, by_term: bool, lane_columns: int) -> int:
    """More rows have more sums, and need fewer blocks in flight."""
    if rows > _FEW and by_term:
        return 1 if rows <= _SOME else 2
    return _TERM_UNROLL if by_term or lane_columns == 1 else _COLUMN_UNROLL


def _reason_against(problem: Problem) -> str | None:
    limit = _MAX_ROWS[min(operand.bits for operand in problem.rhs)]
    if problem.m.static is None or not 1 <= problem.m.static <= limit:
        return f"m is {problem.m}: not 1 to {limit} rows"
    if problem.unit_kind(problem.lhs) not in ("k", None):
        return "A is not contiguous along k"
    if len(problem.axes_of("m")) > 1:
        return "the rows of C are not one dimension"
    return None


def _is_vector(problem: Problem, side: tuple[Operand, ...], kind: str) -> bool:
    return problem.unit_kind(side) == kind and problem.is_vectorizable(side, RUN)


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
    return one_dispatch(config, (config.rows, config.columns), emit)


STRATEGY = Strategy("few-rows", "few-rows", Config, configure, stages)
