# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads configurations back from the IR, where people may have changed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .strategy import Reject, Strategy

_FLAG, _USUAL = (0, 1), (1, 1024)
# Least and most: larger kernels would not compile in any useful time.
_LIMITS = {
    "chain": (0, 2**20),
    "exact": (0, 2**20),
    "element_bits": (8, 32),
    "padding": (0, 64),
    "ranges": (2, 64),
    "unroll": (1, 64),
    "lane_columns": (1, 16),
    "lane_terms": (1, 16),
    "rows": (1, 64),
    "thread_m": (1, 32),
    "thread_n": (1, 32),
}


def config_of(
    strategy: Strategy, record: Mapping[str, int], problem: Problem, target: Target
) -> Any:
    """The configuration with these entries; others have their defaults.

    Raises ValueError where the strategy has no such entry, cannot do the product, or
    needs more than the target has.
    """
    if problems := [*_problems(strategy, record)]:
        raise ValueError("; ".join(problems))
    config, usual = strategy.config(**record), strategy.configure(problem, target)
    if isinstance(usual, Reject):
        raise ValueError(usual.reason)
    size = getattr(config, "workgroup_bytes", 0)
    if problems := [
        *_contradictions(config, usual),
        *target.excesses(config.threads, size),
    ]:
        raise ValueError("; ".join(problems))
    return config


def _contradictions(config: Any, usual: Any) -> Iterator[str]:
    """Entries that follow from the product, where others are recorded."""
    for name in getattr(config, "given", ()):
        value, given = int(getattr(config, name)), int(getattr(usual, name))
        if value != given:
            yield f"{name} is {value}: the product has {given}"


def _problems(strategy: Strategy, record: Mapping[str, int]) -> Iterator[str]:
    entries = {field.name: field for field in fields(strategy.config)}
    for name, value in record.items():
        if name not in entries:
            yield f"no entry is called {name}, there are {', '.join(sorted(entries))}"
            continue
        is_flag = entries[name].type in ("bool", bool)
        least, most = _FLAG if is_flag else _LIMITS.get(name, _USUAL)
        if not least <= value <= most:
            yield f"{name} is {value}: not {least} to {most}"
    for name, field in entries.items():
        if name not in record and field.default is MISSING:
            yield f"{name} is missing"
