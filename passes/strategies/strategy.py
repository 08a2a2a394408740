# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every strategy module provides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from iree_gemm.passes.emit.arithmetic import Arithmetic, Index
from iree_gemm.passes.emit.conditions import Needs
from iree_gemm.passes.emit.kernel import Kernel
from iree_gemm.problem import Problem
from iree_gemm.target import Target


@dataclass(frozen=True)
class Reject:
    """Why a strategy does not do a product on a target: a short clause."""

    reason: str


@dataclass(frozen=True)
class Grid:
    """Sizes of a product, at compile or run time, from which workgroups are counted."""

    arithmetic: Arithmetic
    m: Index
    n: Index
    batch: Index

    def elements(self, each: int) -> tuple[Index, Index, Index]:
        """A workgroup for `each` elements of C."""
        mul = self.arithmetic.mul
        count = mul(mul(self.m, self.n), self.batch)
        return self.arithmetic.ceildiv(count, each), 1, 1

    def tiles(self, rows: int, columns: int) -> tuple[Index, Index, Index]:
        """One workgroup a tile of C: (tiles in n, tiles in m, batch)."""
        ceildiv = self.arithmetic.ceildiv
        return ceildiv(self.n, columns), ceildiv(self.m, rows), self.batch


@dataclass(frozen=True)
class Stage:
    """One dispatch of a strategy.

    `reads` names the groups of operands it binds, of lhs, rhs, extras and scratch;
    `writes` is `results`, or `scratch` for sums that a later stage reads. `width` is
    how many neighboring columns of C an invocation stores at a time, where they are
    aligned.
    """

    name: str
    reads: tuple[str, ...]
    writes: str
    threads: int
    workgroups: Callable[[Grid], tuple[Index, Index, Index]]
    emit: Callable[[Kernel], None]
    width: int = 1
    subgroup_size: int | None = None
    packed: bool = False
    """Sides that are one tensor, as it lies, are read in 16-byte quads."""
    needs: Needs = ()
    """What the device must say of itself at run time."""
    fallback: Stage | None = None
    """Does the same from the same bindings on a device that lacks the needs."""

    def alternatives(self) -> Iterator[Stage]:
        """The stage, then what replaces it, and so on."""
        stage: Stage | None = self
        while stage is not None:
            yield stage
            stage = stage.fallback


@dataclass(frozen=True)
class Strategy:
    """A way to turn a product into kernels.

    To add one: a module with these functions, its row in `table.py`, a lit file
    under tests/lit/kernels and its name in tests/numerics.
    """

    name: str
    option: str
    """The value of the option `strategy` that asks for it."""
    config: type
    configure: Callable[[Problem, Target], Any]
    """The configuration for a product on a target, or Reject."""
    stages: Callable[[Any], tuple[Stage, ...]]
    planes: Callable[[Any], int] = lambda _: 0
    """Planes of scratch, each as large as C."""
    on_matrix_hardware: bool = False
    reason_to_pass: Callable[[Problem, Target, Any], str | None] = lambda *_: None
    """Why another strategy is faster, where it can do a product but should not."""


@dataclass(frozen=True)
class Selection:
    """The chosen strategy, its configuration and why others were passed over."""

    strategy: Strategy
    config: Any
    rejected: dict[str, str]

    def is_same(self, other: Selection) -> bool:
        """Whether both stand for the same kernels."""
        return (self.strategy.name, self.config) == (other.strategy.name, other.config)


_INPUTS = ("lhs", "rhs", "extras")


def one_dispatch(
    config: Any, tile: tuple[int, int], emit: Callable[[Kernel, Any], None], **more: Any
) -> tuple[Stage, ...]:
    """The only stage of a strategy whose workgroups own tiles of rows and columns."""
    return (
        Stage(
            "",
            _INPUTS,
            "results",
            config.threads,
            lambda grid: grid.tiles(*tile),
            lambda kernel: emit(kernel, config),
            **more,
        ),
    )
