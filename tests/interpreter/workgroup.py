# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of one workgroup of a dispatch."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .engine import Machine
from .memory import FIRST_SUBGROUP, Memory

Triple = tuple[int, int, int]


@dataclass(kw_only=True)
class Workgroup(Machine):
    """A workgroup: where it is, what it was given, and the memory that it shares."""

    size: Triple
    position: Triple
    count: Triple
    constants: tuple[int, ...]
    bindings: tuple[Memory, ...]
    memories: list[Memory] = field(default_factory=list)

    @cached_property
    def lanes(self) -> np.ndarray:
        """The number of each invocation in its workgroup."""
        return np.arange(self.invocations)

    @cached_property
    def actors(self) -> np.ndarray:
        """The number of each invocation in the dispatch, for finding races."""
        return self.lanes + self._rank * self.invocations

    @cached_property
    def subgroup_actors(self) -> np.ndarray:
        """The same for operations that a whole subgroup does together."""
        first = FIRST_SUBGROUP - self._rank * self.subgroups
        return first - np.arange(self.subgroups)

    @property
    def _rank(self) -> int:
        x, y, z = self.position
        return (z * self.count[1] + y) * self.count[0] + x
