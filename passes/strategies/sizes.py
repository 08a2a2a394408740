# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What estimates of time go by. Imports no compiler."""

from __future__ import annotations

from dataclasses import dataclass

from iree_gemm.problem import Problem
from iree_gemm.target import Target

UNITS = 132
"""Compute units, where the target does not say: those of an H200."""

_USUAL_TERMS = 1024
"""Stands for a k that only the run knows."""


@dataclass(frozen=True)
class Sizes:
    """A product on a device with so many compute units."""

    m: int
    n: int
    k: int
    batch: int
    units: int

    @staticmethod
    def of(problem: Problem, target: Target) -> Sizes | None:
        """None where the size of C is known at run time only."""
        m, n, batch = (s.static for s in (problem.m, problem.n, problem.batch))
        if m is None or n is None or batch is None:
            return None
        k = problem.k.static
        units = target.compute_units or UNITS
        return Sizes(m, n, _USUAL_TERMS if k is None else k, batch, units)

    @property
    def plane_bytes(self) -> int:
        """A plane of scratch: C in 32-bit sums."""
        return 4 * self.m * self.n * self.batch

    def tiles(self, rows: int, columns: int) -> int:
        return -(-self.m // rows) * -(-self.n // columns) * self.batch
