# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A side of a k step in workgroup memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iree.compiler import ir

from .arithmetic import Index
from .memory import RUN, Buffer


@dataclass(frozen=True)
class SideTile:
    """[term][position], where a position is a row of A or a column of B.

    What is read in vectors along the positions is stored as it comes, in slots of four
    elements: 4096^3 on an H200 took 3151 us, and 3357 by single elements. Vectors along
    k are stored by elements, and rows padded, so that they meet different banks.
    """

    buffer: Buffer
    terms: int
    positions: int

    @staticmethod
    def elements(terms: int, positions: int) -> int:
        """What it takes of workgroup memory at most."""
        return terms * (positions + RUN)

    def store(self, value: ir.Value, term: Index, position: Index) -> None:
        arithmetic = self.buffer.arithmetic
        row = arithmetic.mul(term, self._pitch)
        self.buffer.store(value, arithmetic.add(row, position))

    def load(self, term: Index, runs: Sequence[Index]) -> list[ir.Value]:
        """The elements of a term in the runs."""
        arithmetic, width = self.buffer.arithmetic, self.buffer.width
        row = arithmetic.mul(term, self._pitch // width)
        slots = [
            arithmetic.add(row, arithmetic.add(arithmetic.mul(run, RUN // width), n))
            for run in runs
            for n in range(RUN // width)
        ]
        loaded = [self.buffer.load_slot(slot) for slot in slots]
        return [x for value in loaded for x in arithmetic.elements(value)]

    @property
    def _pitch(self) -> int:
        return self.positions + (RUN if self.buffer.width == 1 else 0)
