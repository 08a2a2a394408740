# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes that invocations share, and the rules for touching them.

Two accesses race if at least one of them writes, different invocations make them and
no barrier lies between. A fragment operation lets unknown invocations of its subgroup
access memory (Vulkan memory model, cooperative matrices), so it is an invocation of
its own here. Accesses to bindings are never ordered, as only other dispatches do that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NOBODY = -1
SEVERAL = -2
FIRST_SUBGROUP = -3
"""Actors: invocations count up from 0 and subgroups count down from here."""
POISON = 0xFF
"""The byte of uninitialised memory: NaN in every floating-point type."""


class Memory:
    """A buffer, with who touched each granule of it since the last barrier."""

    def __init__(self, data: np.ndarray, granule: int, name: str) -> None:
        """`data` are bytes; granules are the size of a scalar."""
        self.data = data
        self.granule = granule
        self.name = name
        self.writable = data.flags.writeable
        self.reader = np.full(-(-data.size // granule), NOBODY, np.int32)
        self.writer = self.reader.copy()
        self.initialized: np.ndarray | None = None
        self._typed: dict[np.dtype, np.ndarray] = {}

    @staticmethod
    def uninitialized(size: int, granule: int, name: str) -> "Memory":
        """Memory of a workgroup or of its invocations."""
        data = np.full(-(-size // 16) * 16, POISON, np.uint8)
        memory = Memory(data, granule, name)
        memory.initialized = np.zeros(memory.reader.size, bool)
        return memory

    def typed(self, dtype: np.dtype) -> np.ndarray:
        """All of it as scalars of a type."""
        if dtype not in self._typed:
            whole = self.data.size // dtype.itemsize * dtype.itemsize
            self._typed[dtype] = self.data[:whole].view(dtype)
        return self._typed[dtype]

    def barrier(self) -> None:
        """Orders all accesses before it with all accesses after it."""
        self.reader.fill(NOBODY)
        self.writer.fill(NOBODY)

    def read(self, granules: np.ndarray, actors: np.ndarray | int) -> None:
        """Notes a read; `actors` broadcasts to `granules`."""
        if not self.writable:
            return
        self._check(self.writer, granules, actors, "reads what was written")
        seen = self.reader[granules]
        alone = (seen == NOBODY) | (seen == actors)
        self.reader[granules] = np.where(alone, actors, SEVERAL)
        shared = self.reader[granules] != actors
        self.reader[granules[shared]] = SEVERAL

    def write(self, granules: np.ndarray, actors: np.ndarray | int) -> None:
        """Notes a write."""
        if not self.writable:
            raise ValueError(f"{self.name} is read-only")
        self._check(self.reader, granules, actors, "writes what was read")
        self._check(self.writer, granules, actors, "writes what was written")
        self.writer[granules] = actors
        self._check(self.writer, granules, actors, "writes what was written")
        if self.initialized is not None:
            self.initialized[granules] = True

    def check_initialized(self, granules: np.ndarray) -> None:
        """For integers; a float that was not initialised is NaN."""
        if self.initialized is not None and not self.initialized[granules].all():
            raise ValueError(f"{self.name} is read where nothing was written")

    def _check(
        self, owner: np.ndarray, granules: np.ndarray, actors: Any, what: str
    ) -> None:
        seen = owner[granules]
        wrong = (seen != NOBODY) & ((seen != actors) | (seen == SEVERAL))
        if wrong.any():
            mine = _actor(np.broadcast_to(actors, wrong.shape)[wrong][0])
            place = f"byte {granules[wrong][0] * self.granule} of {self.name}"
            other = _actor(seen[wrong][0])
            raise ValueError(f"race: {mine} {what} by {other} at {place}")


def _actor(number: int) -> str:
    if number == SEVERAL:
        return "several invocations"
    if number <= FIRST_SUBGROUP:
        return f"subgroup {FIRST_SUBGROUP - number}"
    return f"invocation {number}"


@dataclass(frozen=True)
class View:
    """A memref: elements of a scalar or vector type over a memory, row by row.

    A private view holds one copy for each invocation, one after the other.
    """

    memory: Memory
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype
    vector: tuple[int, ...] = ()
    private: bool = False

    @property
    def width(self) -> int:
        """Scalars in an element."""
        return math.prod(self.vector)

    @property
    def element_bytes(self) -> int:
        """Bytes in an element."""
        return self.width * self.dtype.itemsize

    def locate(
        self, indices: Sequence[np.ndarray], active: np.ndarray, reach: int = 1
    ) -> np.ndarray:
        """The first of `reach` elements, which are in bounds where active."""
        linear = np.zeros(1, np.int64)
        last = len(self.shape) - 1
        for axis, (index, extent) in enumerate(zip(indices, self.shape, strict=True)):
            end = extent - (reach - 1 if axis == last else 0)
            outside = (index < 0) | (index >= end)
            if outside.any() and (outside := outside & active).any():
                which = np.broadcast_to(index, outside.shape)[outside][0]
                what = f"index {which}" + (f" (of {reach} elements)" * (reach > 1))
                raise ValueError(f"{what} is out of bounds: axis {axis} has {extent}")
            linear = linear * extent + index
        return linear
