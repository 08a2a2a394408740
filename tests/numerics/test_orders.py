# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emulated multiply-add rounds once."""

from fractions import Fraction

import numpy as np
from orders import fused_multiply_add


def test_fused_multiply_add_is_exact() -> None:
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal(2000).astype(np.float32) for _ in range(3))
    c[:1000] = -(a * b)[:1000]  # cancels all but the rounding of the product
    c[1000:] *= np.float32(2.0) ** rng.integers(-40, 40, 1000)
    for result, x, y, z in zip(fused_multiply_add(a, b, c), a, b, c, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert result == _nearest(exact)


def _nearest(exact: Fraction) -> np.float32:
    guess = np.float32(float(exact))
    near = [np.nextafter(guess, np.float32(s)) for s in (-np.inf, np.inf)]
    return min([guess, *near], key=lambda value: abs(Fraction(float(value)) - exact))
