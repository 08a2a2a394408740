# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The targets whose programs the tests run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TestTarget:
    """A target of the compiler whose programs the device can run.

    `is_slow` where lavapipe takes seconds to prepare a kernel.
    """

    __test__ = False

    name: str
    is_slow: bool = False

    def __str__(self) -> str:
        return self.name


LLVMPIPE = TestTarget("llvmpipe")
DEFAULT = TestTarget("default", is_slow=True)
# A device without its matrix units runs the portable kernels beside theirs.
AMPERE = TestTarget("ampere", is_slow=True)

TARGETS = (LLVMPIPE, DEFAULT, AMPERE)
