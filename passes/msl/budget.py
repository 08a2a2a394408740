# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Threadgroup memory that a kernel's arrays take; needs no IREE, for planning."""

from collections.abc import Iterable
from dataclasses import dataclass

LIMIT_BYTES = 32 * 1024  # of every Apple GPU, and what IREE's metal target says
ALIGNMENT_BYTES = 16


@dataclass(frozen=True)
class ThreadgroupArray:
    """A declared array: `count` scalars, or vectors of `lanes` scalars."""

    count: int
    scalar_bytes: int
    lanes: int = 1

    @property
    def bytes(self) -> int:
        """A 3-vector takes the room of a 4-vector, and each array starts aligned."""
        element = self.scalar_bytes * (4 if self.lanes == 3 else self.lanes)
        return -(-self.count * element // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def threadgroup_bytes(arrays: Iterable[ThreadgroupArray]) -> int:
    """The sum that must not exceed LIMIT_BYTES."""
    return sum(array.bytes for array in arrays)
