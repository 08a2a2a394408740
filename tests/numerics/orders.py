# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of additions that each strategy states, in NumPy float32."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

MultiplyAdd = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def fused_multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in float32 with one rounding."""
    product = a.astype(np.float64) * b.astype(np.float64)  # exact: 48 of 53 bits
    c = c.astype(np.float64)
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part)
    # Rounding to odd first makes the second rounding, to float32, a right one.
    is_even = total.view(np.int64) % 2 == 0
    toward = np.where(error > 0, np.inf, -np.inf)
    odd = np.where((error != 0) & is_even, np.nextafter(total, toward), total)
    return odd.astype(np.float32)


def separate_multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in float32 with two roundings."""
    return a * b + c


@dataclass(frozen=True)
class Sum:
    """The products of A's columns and B's rows, added up in a stated order."""

    lhs: np.ndarray
    rhs: np.ndarray
    multiply_add: MultiplyAdd

    @property
    def terms(self) -> int:
        return self.lhs.shape[1]

    def chained(self, terms: Iterable[int]) -> np.ndarray:
        """Terms chained in the order given."""
        total = np.zeros((self.lhs.shape[0], self.rhs.shape[1]), np.float32)
        for k in terms:
            total = self.multiply_add(self.lhs[:, k, None], self.rhs[None, k], total)
        return total

    def joined(self, chain: int, first: int, last: int) -> np.ndarray:
        """Chains of `chain` terms, joined in increasing k; zero is one chain."""
        chain = chain or max(last - first, 1)
        starts = range(first, last, chain)
        return _added(self.chained(range(s, min(s + chain, last))) for s in starts)


def _added(parts: Iterable[np.ndarray]) -> np.ndarray:
    first, *rest = parts
    total = first
    for part in rest:
        total = total + part
    return total


def _direct(total: Sum, config: Any) -> np.ndarray:
    return total.joined(config.chain, 0, total.terms)


def _tile(total: Sum, config: Any) -> np.ndarray:
    return _sliced(total, config, 0, total.terms)


def _sliced(total: Sum, config: Any, first: int, last: int) -> np.ndarray:
    """The parts that slices have of each step, then halves added to halves."""
    size, step = config.tile_k, config.tile_k * config.slices
    slices = []
    for start in range(first, first + step, size):
        parts = (range(k, min(k + size, last)) for k in range(start, last, step))
        own = [k for part in parts for k in part]
        chain = config.chain or max(len(own), 1)
        chains = [own[n : n + chain] for n in range(0, len(own), chain)] or [[]]
        slices.append(_added(map(total.chained, chains)))
    while len(slices) > 1:
        half = len(slices) // 2
        slices = [a + b for a, b in zip(slices[:half], slices[half:], strict=True)]
    return slices[0]


def _split_k(total: Sum, config: Any) -> np.ndarray:
    count = -(-total.terms // config.ranges)
    count = -(-count // config.multiple) * config.multiple
    starts = range(0, config.ranges * count, count)
    ranges = [(min(s, total.terms), min(s + count, total.terms)) for s in starts]
    return _added(_sliced(total, config, *r) for r in ranges)


def _few_rows(total: Sum, config: Any) -> np.ndarray:
    block, stride = config.lane_terms, config.lane_terms * config.slices
    slices = [
        total.chained(
            k
            for start in range(first * block, total.terms, stride)
            for k in range(start, min(start + block, total.terms))
        )
        for first in range(config.slices)
    ]
    while len(slices) > 8 and len(slices) % 4 == 0:
        count = len(slices) // 4
        slices = [_added(slices[n::count]) for n in range(count)]
    return _added(slices)


ORDERS: dict[str, Callable[[Sum, Any], np.ndarray]] = {
    "direct": _direct,
    "tile": _tile,
    "split-k": _split_k,
    "few-rows": _few_rows,
}
