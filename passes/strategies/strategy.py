# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every strategy module provides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.problem import Problem
from iree_gemm.target import Target


@dataclass(frozen=True)
class Reject:
    """Why a strategy does not do a product on a target: a short clause."""

    reason: str


@dataclass(frozen=True)
class Strategy:
    """A way to turn a product into a kernel.

    To add one: a module with these functions, its row in `table.py`, a lit file
    under tests/lit/kernels and its name in tests/numerics.
    """

    name: str
    option: str
    """The value of the option `strategy` that asks for it."""
    config: type
    configure: Callable[[Problem, Target], Any]
    """The configuration for a product on a target, or Reject."""
    emit: Callable[[Kernel, Any], None]
    threads: Callable[[Any], int]
    tiles: Callable[[Any], tuple[int, int]]
    """Rows and columns of C that one workgroup computes."""


@dataclass(frozen=True)
class Selection:
    """The chosen strategy, its configuration and why others were passed over."""

    strategy: Strategy
    config: Any
    rejected: dict[str, str]
