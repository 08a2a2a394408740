# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products as MLIR text, their inputs, and their exact results."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from element_types import F32, Types, integers
from epilogues import NONE, Epilogue
from shapes import Shape

# The axes of an operand in memory, by layout.
_LHS = {"N": "mk", "T": "km"}
_RHS = {"N": "kn", "T": "nk"}
Fill = Callable[[np.random.Generator, tuple[int, ...], str], np.ndarray]


@dataclass(frozen=True)
class Product:
    """C = epilogue(op(A) op(B)).

    `dynamic` names the sizes that only the run knows, of "bmnk"; `shared` the operand,
    "lhs" or "rhs", that all matrices of a batch have in common.
    """

    shape: Shape
    types: Types = F32
    layout: str = "NN"
    dynamic: str = ""
    shared: str = ""
    epilogue: Epilogue = NONE

    @property
    def name(self) -> str:
        parts = (
            self.shape,
            self.types,
            self.layout,
            self.dynamic and f"dynamic_{self.dynamic}",
            self.shared and f"shared_{self.shared}",
            self.epilogue.name,
        )
        return "_".join(str(part) for part in ("p", *parts) if str(part))

    def __str__(self) -> str:
        return self.name[2:]

    def with_shape(self, shape: Shape) -> Product:
        return replace(self, shape=shape)

    @property
    def batch(self) -> str:
        return "" if self.shape.batch is None else "b"

    @property
    def lhs_axes(self) -> str:
        return ("" if self.shared == "lhs" else self.batch) + _LHS[self.layout[0]]

    @property
    def rhs_axes(self) -> str:
        return ("" if self.shared == "rhs" else self.batch) + _RHS[self.layout[1]]

    @property
    def result_axes(self) -> str:
        return self.batch + "mn"

    def extents(self, axes: str) -> tuple[int, ...]:
        sizes = dict(zip("bmnk", self.shape.sizes, strict=True))
        return tuple(sizes[axis] for axis in axes)

    def type(self, axes: str, element: str) -> str:
        extents = zip(axes, self.extents(axes), strict=True)
        sizes = ["?" if axis in self.dynamic else str(size) for axis, size in extents]
        return f"tensor<{'x'.join([*sizes, element])}>"

    def inputs(self, fill: Fill) -> list[np.ndarray]:
        """A, B and what the epilogue reads, always the same for the same product."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [
            fill(rng, self.extents(self.lhs_axes), self.types.lhs),
            fill(rng, self.extents(self.rhs_axes), self.types.rhs),
            *(
                fill(rng, self.extents(axes), self.types.accumulator)
                for axes in self.extra_axes
            ),
        ]

    @property
    def extra_axes(self) -> list[str]:
        """The axes of what the epilogue reads, without a batch that there is not."""
        return [
            axes if self.batch else axes.replace("b", "")
            for axes in self.epilogue.extras
        ]

    def exact(self, lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        """The product of the inputs without rounding (f64, or i64 for integers)."""
        wide = np.int64 if self.types.result == "i32" else np.float64
        spec = f"{self.lhs_axes},{self.rhs_axes}->{self.result_axes}"
        return np.einsum(spec, lhs.astype(wide), rhs.astype(wide), optimize=True)


def experts_of(product: Product) -> tuple[np.ndarray, np.ndarray]:
    """Three of A and of B, of which no two pairs have the same product."""
    a, b = product.inputs(integers)[:2]
    lhs, rhs = np.stack([a, 2 * a, 3 * a]), np.stack([b, 5 * b, 7 * b])
    return lhs.astype(a.dtype), rhs.astype(b.dtype)
