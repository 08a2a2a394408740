# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes that are tested, each for a reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """C is m x n and a sum over k, for each of `batch` where that is not None."""

    m: int
    n: int
    k: int
    batch: int | None = None

    @property
    def sizes(self) -> tuple[int | None, ...]:
        return (self.batch, self.m, self.n, self.k)

    def __str__(self) -> str:
        return "x".join(str(size) for size in self.sizes if size is not None)


SMALL = (
    Shape(1, 1, 1),  # the smallest
    Shape(2, 2, 2),  # less than a vector of four
    Shape(9, 9, 9),  # one more than two vectors
    Shape(6, 13, 3),  # k less than any step
    Shape(15, 37, 7),  # nothing divides anything
    Shape(1, 10, 10),  # one row
    Shape(10, 1, 10),  # one column
    Shape(10, 10, 1),  # one term
)
# Not no terms, where IREE 3.13 crashes, nor sizes that only the run knows to be zero,
# since its Vulkan driver binds no empty buffer.
EMPTY = (
    Shape(0, 5, 4),  # no rows
    Shape(5, 0, 4),  # no columns
)
TILES = (
    Shape(130, 126, 129),  # around two tiles of 64, one term more than a chain
    Shape(64, 64, 64),  # exactly one tile of 64
    Shape(65, 64, 63),  # one more row, one term less
    Shape(81, 19, 41),  # more than a tile of rows, less than one of columns
)
LARGE = (
    Shape(128, 768, 768),  # a projection of a small transformer
    Shape(457, 330, 512),  # many tiles, partial in rows and columns
    Shape(7, 11, 5000),  # long k
)
BATCHED = (
    Shape(9, 17, 6, batch=1),  # a batch of one
    Shape(16, 16, 16, batch=3),  # aligned
    Shape(5, 33, 21, batch=4),  # nothing is
)
# The first ones are those that every target runs.
SHAPES = (*TILES, *SMALL, *LARGE)

LAYOUT_SHAPES = (Shape(64, 64, 64), Shape(15, 37, 7), Shape(81, 19, 41))
TYPE_SHAPES = (Shape(15, 37, 7), Shape(64, 72, 400))  # the second can be split
# Around the numbers at which a product with rows known at run time changes its plan.
ROW_COUNTS = (1, 4, 5, 64, 65, 256, 257)

# The first that a strategy does serves for the epilogue.
EPILOGUE_SHAPES = (
    Shape(33, 24, 40, batch=2),
    Shape(33, 24, 200, batch=2),  # enough terms to split
    Shape(33, 24, 400, batch=2),  # and over matrix units
    Shape(3, 24, 136, batch=2),  # few rows
)
CANARY_SHAPES = (
    Shape(66, 60, 37),
    Shape(66, 60, 203),  # enough terms to split
    Shape(3, 60, 135),  # few rows
)
