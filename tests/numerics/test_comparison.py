# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison finds what is wrong, and says where."""

import numpy as np
import pytest
from comparison import difference

EXPECTED = np.arange(1.0, 49.0).reshape(2, 4, 6)


def test_equal_values_have_no_fault() -> None:
    expected = EXPECTED.copy()
    expected[0, 0, 0] = np.nan
    assert difference(expected.copy(), expected) == ""


def test_the_bound_is_relative_to_the_largest_value() -> None:
    actual = EXPECTED + 48 * 1e-5
    assert difference(actual, EXPECTED, 1.1e-5) == ""
    assert difference(actual, EXPECTED, 0.9e-5) != ""


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_wrong(value: float) -> None:
    actual = EXPECTED.copy()
    actual[1, 2, 3] = value
    assert difference(actual, EXPECTED, 1e9).startswith("1 of 48 elements differ")


@pytest.mark.parametrize(
    ("where", "pattern"),
    [
        (np.s_[:], "(everywhere)"),
        (np.s_[1, 2, 3], "(matrix 1: row 2, column 3)"),
        (np.s_[:, 2], "(all of row 2)"),
        (np.s_[:, :, 4:], "(all of columns 4 to 5)"),
        (np.s_[:, :, ::2], "(all of columns 0 to 4 in steps of 2)"),
        (np.s_[0, 2:, 3:], "(matrix 0: rows 2 to 3, columns 3 to 5)"),
    ],
)
def test_patterns(where: tuple, pattern: str) -> None:
    actual = EXPECTED.copy()
    actual[where] += 1
    assert pattern in difference(actual, EXPECTED)


def test_the_worst_element_is_named() -> None:
    actual = EXPECTED.copy()
    actual[1, 2, 3] += 5
    actual[0, 0, 0] += 1
    assert "worst at [1, 2, 3]: 45 instead of 40" in difference(actual, EXPECTED)


def test_shapes_are_compared() -> None:
    assert difference(np.zeros(3), np.zeros(4)) == "shape (3,) instead of (4,)"
