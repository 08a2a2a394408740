# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a case, and what has to come out of it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.cases import Case
from benchmarks.device import NUMPY

# Rows of C that are compared with float64; all of C is compared on integers.
_SAMPLED_ROWS = 16
_LONG = 4096
_BOUNDS = {"f32": 1e-5, "f16": 2e-3, "bf16": 8e-3, "i32": 0.0}


@dataclass(frozen=True)
class Inputs:
    """Arrays for A, B and the epilogue, each with its element type."""

    arrays: Sequence[np.ndarray]
    types: Sequence[str]


def integers(case: Case) -> Inputs:
    """-1, 0 and 1, whose sums are exact in every order of additions."""
    random = _random(case, 1)
    draw = [random.integers(-1, 2, s, np.int8) for s in case.shapes]
    return _typed(case, draw)


def reals(case: Case) -> Inputs:
    """Normally distributed numbers; all integers for an integer type."""
    random = _random(case, 2)
    if case.type == "i8":
        return _typed(case, [random.integers(-128, 128, s) for s in case.shapes])
    draw = [random.standard_normal(s, np.float32) for s in case.shapes]
    return _typed(case, draw)


def _random(case: Case, seed: int) -> np.random.Generator:
    return np.random.default_rng((seed, zlib.crc32(case.name.encode())))


def _typed(case: Case, arrays: Sequence[np.ndarray]) -> Inputs:
    types = [case.type, case.type, case.result][: len(arrays)]
    return Inputs(
        [a.astype(NUMPY[t]) for a, t in zip(arrays, types, strict=True)], types
    )


def is_exact_on_integers(case: Case) -> bool:
    return case.epilogue != "bias_gelu"


def exact_result(case: Case, inputs: Inputs) -> np.ndarray:
    """All of C in its type; float32 adds integers of this size exactly."""
    a, b = (array.astype(np.float32) for array in _oriented(case, inputs))
    extra = [array.astype(np.float32) for array in inputs.arrays[2:]]
    return _finished(case, a @ b, extra).astype(NUMPY[case.result])


def error_of(case: Case, inputs: Inputs, found: np.ndarray) -> float:
    """max |C - reference| / max |reference| over some rows, in float64."""
    rows = _random(case, 3).integers(0, case.m, min(case.m, _SAMPLED_ROWS))
    a, b = _oriented(case, inputs)
    extra = [array.astype(np.float64) for array in inputs.arrays[2:]]
    if case.epilogue == "residual":
        extra = [extra[0][..., rows, :]]
    product = a[..., rows, :].astype(np.float64) @ b.astype(np.float64)
    expected = _finished(case, product, extra)
    difference = np.abs(found[..., rows, :].astype(np.float64) - expected).max()
    return float(difference / np.abs(expected).max())


def bound_of(case: Case) -> float:
    """The most that an error may be; a long sum in f32 may err in proportion."""
    return _BOUNDS[case.result] * max(1.0, case.k / _LONG)


def _oriented(case: Case, inputs: Inputs) -> list[np.ndarray]:
    return [
        array if layout == "n" else array.swapaxes(-1, -2)
        for array, layout in zip(inputs.arrays, case.layout, strict=False)
    ]


def _finished(
    case: Case, product: np.ndarray, extra: Sequence[np.ndarray]
) -> np.ndarray:
    if case.epilogue == "none":
        return product
    total = product + extra[0]
    if case.epilogue == "bias_relu":
        return np.maximum(total, 0)
    return _gelu(total) if case.epilogue == "bias_gelu" else total


def _gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + _erf(x / np.sqrt(2.0))) / 2


def _erf(x: np.ndarray) -> np.ndarray:
    """By the formula 7.1.26 of Abramowitz and Stegun, error below 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    sums = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sums = (sums + factor) * t
    return np.sign(x) * (1 - sums * np.exp(-x * x))
