# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of products, and how far their results may be from exact ones."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
}
# max |C - exact| / max |exact|, for sums in f32.
_BOUNDS = {"f32": 1e-5, "f16": 2e-3, "bf16": 8e-3, "i32": 0.0}


@dataclass(frozen=True)
class Types:
    """Element types of A, B and the result."""

    lhs: str
    rhs: str
    result: str

    @property
    def accumulator(self) -> str:
        return "i32" if self.result == "i32" else "f32"

    @property
    def bound(self) -> float:
        return _BOUNDS[self.result]

    def __str__(self) -> str:
        return f"{self.lhs}_{self.rhs}_{self.result}"


F32 = Types("f32", "f32", "f32")
I8 = Types("i8", "i8", "i32")
TYPES = (
    F32,
    Types("f16", "f16", "f32"),
    Types("f16", "f16", "f16"),
    Types("bf16", "bf16", "f32"),
    Types("bf16", "bf16", "bf16"),
    Types("f32", "f16", "f32"),
    I8,
)


def integers(rng: np.random.Generator, shape: tuple[int, ...], element: str):
    """Values in {-1, 0, 1}: their sums are exact in every type and order."""
    return rng.integers(-1, 2, shape).astype(DTYPES[element])


def values(rng: np.random.Generator, shape: tuple[int, ...], element: str):
    """Values as real data has them; all of the range for integers."""
    if element == "i8":
        return rng.integers(-128, 128, shape).astype(np.int8)
    return rng.standard_normal(shape).astype(DTYPES[element])
