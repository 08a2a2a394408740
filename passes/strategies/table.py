# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one place that chooses: an ordered list of strategies, the first fit wins."""

from __future__ import annotations

from iree_gemm.options import Options
from iree_gemm.problem import ELEMENT_BITS, Problem
from iree_gemm.target import Target

from . import (
    cooperative,
    cooperative_split_k,
    direct,
    few_rows,
    simdgroup,
    simdgroup_split_k,
    split_k,
    tile,
)
from .strategy import Reject, Selection, Strategy

STRATEGIES: tuple[Strategy, ...] = (
    direct.STRATEGY,
    few_rows.STRATEGY,
    cooperative_split_k.STRATEGY,
    cooperative.STRATEGY,
    simdgroup_split_k.STRATEGY,
    simdgroup.STRATEGY,
    split_k.STRATEGY,
    tile.STRATEGY,
)

_ROW_LIMITS = (4, 16, 64, 256)
_MANY_ROWS = 4096

BY_NAME = {strategy.name: strategy for strategy in STRATEGIES}


def select(problem: Problem, target: Target, options: Options) -> Selection | Reject:
    """The strategy for a product; Reject with every reason where none fits."""
    if options.strategy == "off":
        return Reject("strategy=off")
    if reason := _unsupported(problem, target):
        return Reject(reason)
    rejected: dict[str, str] = {}
    for strategy in STRATEGIES:
        if options.strategy not in ("auto", strategy.option):
            continue
        config = _excluded(strategy, options) or strategy.configure(problem, target)
        if isinstance(config, Reject):
            rejected[strategy.name] = config.reason
            continue
        is_asked_for = options.strategy == strategy.name
        reason = strategy.reason_to_pass(problem, target, config)
        if reason is None or is_asked_for:
            return Selection(strategy, config, rejected)
        rejected[strategy.name] = reason
    return Reject("; ".join(f"{name}: {why}" for name, why in rejected.items()))


def select_by_rows(
    problem: Problem, target: Target, options: Options, most_rows: int | None = None
) -> tuple[list[tuple[int, Selection]], Selection] | Reject:
    """For a number of rows known at run time: selections for at most so many rows
    each, and the one for more. Neighbors that agree are one.

    `most_rows` is what the program promises that there are at most.
    """
    many = planned_rows(most_rows)
    rest = select(problem.with_rows(many) or problem, target, options)
    if isinstance(rest, Reject) or problem.with_rows(1) is None:
        return rest if isinstance(rest, Reject) else ([], rest)
    cases: list[tuple[int, Selection]] = []
    following = rest
    for rows in reversed([limit for limit in _ROW_LIMITS if limit < many]):
        few = problem.with_rows(rows)
        assert few is not None, "the rows are one run-time size"
        selection = select(few, target, options)
        if isinstance(selection, Reject) or selection.is_same(following):
            continue
        cases.insert(0, (rows, selection))
        following = selection
    return cases, rest


def planned_rows(most_rows: int | None) -> int:
    """What a product counts as that has any number of rows, at most `most_rows`."""
    return min(_MANY_ROWS, most_rows or _MANY_ROWS)


def needs_wide_elements(problem: Problem, target: Target) -> bool:
    """Whether the target cannot read some element, or not compute with it."""
    elements = {operand.element for operand in problem.operands}
    bits = {ELEMENT_BITS[e] for e in elements if e in ELEMENT_BITS}
    has_halves = "f16" in {*elements, problem.lhs_type, problem.rhs_type}
    return not bits <= target.storage or (has_halves and "fp16" not in target.compute)


def _excluded(strategy: Strategy, options: Options) -> Reject | None:
    """The option that forbids a strategy."""
    if not strategy.on_matrix_hardware:
        return None
    if options.mode == "deterministic":
        return Reject("mode=deterministic")
    return None if options.matrix_hardware else Reject("matrix-hardware=off")


def _unsupported(problem: Problem, target: Target) -> str | None:
    """What no strategy can do on a target."""
    if any(axis.size.static == 0 for axis in problem.axes):
        return "an extent is 0: there is nothing to multiply"
    for operand in problem.operands:
        bits = ELEMENT_BITS.get(operand.element)
        if bits is None:
            return f"element type {operand.element} is not supported"
    if needs_wide_elements(problem, target):
        return _odd_words(problem)
    return None


def _odd_words(problem: Problem) -> str | None:
    """A tensor that ends within a word: reading that word would be out of bounds."""
    for operand in problem.operands:
        per_word = 32 // operand.bits
        if not (operand.is_scalar or operand.length.is_multiple_of(per_word)):
            return f"{operand.element} tensors of whole 32-bit words are needed"
    return None
