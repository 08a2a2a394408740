# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one comparison of a result with what is expected."""

from __future__ import annotations

import numpy as np


def difference(actual: np.ndarray, expected: np.ndarray, bound: float = 0.0) -> str:
    """What is wrong with a result; empty where nothing is.

    `bound` is on |actual - expected| relative to the largest |expected|; zero asks for
    equal values, where NaN equals NaN.
    """
    if actual.shape != expected.shape:
        return f"shape {actual.shape} instead of {expected.shape}"
    if actual.size == 0:
        return ""
    actual = actual.astype(np.float64)
    expected = expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.abs(actual - expected)
    error[np.isnan(actual) & np.isnan(expected)] = 0.0
    error[np.isnan(error)] = np.inf
    limit = bound * np.nanmax(np.abs(expected), initial=0.0)
    wrong = error > limit
    return _describe(actual, expected, error, wrong) if wrong.any() else ""


def _describe(actual, expected, error, wrong) -> str:
    worst = np.unravel_index(np.argmax(error), error.shape)
    place = ", ".join(map(str, worst))
    return (
        f"{wrong.sum()} of {wrong.size} elements differ ({_pattern(wrong)}); worst at"
        f" [{place}]: {actual[worst]:.9g} instead of {expected[worst]:.9g}"
    )


def _pattern(wrong: np.ndarray) -> str:
    """Where the wrong elements are, since that often names the fault."""
    if wrong.all():
        return "everywhere"
    if wrong.ndim < 2:
        return _span("element", np.flatnonzero(wrong))
    rows = np.flatnonzero(wrong.any(axis=(*range(wrong.ndim - 2), -1)))
    columns = np.flatnonzero(wrong.any(axis=tuple(range(wrong.ndim - 1))))
    matrices = wrong.reshape(-1, *wrong.shape[-2:])
    batches = np.flatnonzero(matrices.any(axis=(1, 2)))
    found = matrices[batches]
    if found[:, rows].all():
        places = f"all of {_span('row', rows)}"
    elif found[:, :, columns].all():
        places = f"all of {_span('column', columns)}"
    else:
        places = f"{_span('row', rows)}, {_span('column', columns)}"
    if len(batches) < len(matrices):
        places = f"{_span('matrix', batches)}: {places}"
    return places


def _span(what: str, found: np.ndarray) -> str:
    first, last = int(found[0]), int(found[-1])
    if first == last:
        return f"{what} {first}"
    steps = {int(step) for step in np.diff(found)}
    every = "" if steps == {1} else f" in steps of {min(steps)}"
    return f"{what}s {first} to {last}{every}"
