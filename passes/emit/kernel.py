# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one object through which a strategy emits its kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from iree.compiler import ir
from iree.compiler.dialects import arith, gpu, hal, math

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Problem, Size

from .arithmetic import Arithmetic, Index
from .bindings import Binder, Bound
from .memory import Buffer, WorkgroupTile, workgroup_buffer
from .operands import Indices, Sizes


@dataclass(frozen=True)
class Interface:
    """What a kernel is called with: the groups of operands that it binds, in order."""

    layout: ir.Attribute
    reads: tuple[str, ...]
    writes: str
    planes: int
    threads: int
    width: int
    """Columns of C that are read and written as one vector."""
    is_wide: bool
    """Narrow elements lie in words and are held wide: see `narrow.py`."""
    packed: bool = False
    """Sides that are one tensor, as it lies, are read in 16-byte quads."""


class Kernel(Arithmetic):
    """Emits at the insertion point: the entry of the kernel's function."""

    def __init__(self, op: MatmulOp, problem: Problem, interface: Interface) -> None:
        super().__init__(ir.InsertionPoint.current.block)
        self.op = op
        self.problem = problem
        self.threads = interface.threads
        self.width = interface.width
        self.is_wide = interface.is_wide
        self.accumulator = op.epilogue_block.arguments[0].type
        binder = Binder(self, interface.layout)
        self.sizes = Sizes(self, binder.symbols(problem))
        self.bound: Bound = binder.bind(op, problem, self.sizes, interface)
        self.thread_id = gpu.thread_id(gpu.Dimension.x)

    @cached_property
    def m(self) -> Index:
        return self.size(self.problem.m)

    @cached_property
    def n(self) -> Index:
        return self.size(self.problem.n)

    @cached_property
    def k(self) -> Index:
        return self.size(self.problem.k)

    @cached_property
    def batches(self) -> Index:
        return self.size(self.problem.batch)

    def size(self, size: Size) -> Index:
        return self.sizes.value(size)

    def indices(self, kind: str, index: Index, unit: int = 1) -> Indices:
        """The indices of a kind's axes from the batch, row, column or term number.

        The number and the index of the last axis count `unit` elements.
        """
        axes = self.problem.axes_of(kind)
        return self._split(axes, index, unit) if axes else {}

    def workgroup_id(self, dimension: int) -> ir.Value:
        return hal.interface_workgroup_id(dimension)

    def barrier(self) -> None:
        """Orders workgroup memory alone, which is all that tiles need."""
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        gpu.barrier(address_spaces=ir.ArrayAttr.get([space]))

    def workgroup_buffer(self, count: int, width: int = 1) -> Buffer:
        return workgroup_buffer(self, count, self.accumulator, width)

    def workgroup_tile(self, rows: int, columns: int) -> WorkgroupTile:
        return WorkgroupTile(self.workgroup_buffer(rows * columns), rows, columns)

    def zero(self) -> ir.Value:
        return self.zero_of(self.accumulator)

    def multiply_add(self, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
        """`a * b + c` with one rounding, or in integers."""
        if isinstance(self.accumulator, ir.IntegerType):
            return arith.addi(arith.muli(a, b), c)
        return math.fma(a, b, c)

    def plus(self, a: ir.Value, b: ir.Value) -> ir.Value:
        if isinstance(self.accumulator, ir.IntegerType):
            return arith.addi(a, b)
        return arith.addf(a, b)

    def _split(self, axes: Sequence[int], index: Index, unit: int) -> dict[int, Index]:
        """The indices of axes from their row-major index."""
        indices: dict[int, Index] = {}
        for axis in reversed(axes[1:]):
            size = self.size(self.problem.axes[axis].size)
            if axis == axes[-1]:
                size = self.div(size, unit)
            indices[axis] = self.rem(index, size)
            index = self.div(index, size)
        return {axes[0]: index, **indices}


@dataclass(frozen=True)
class Tile:
    """The part of C that a workgroup owns, by its first row, column and its batch."""

    kernel: Kernel
    rows: int
    columns: int
    first_row: Index
    first_column: Index
    batch: Index

    @staticmethod
    def of_workgroup(kernel: Kernel, rows: int, columns: int) -> Tile:
        """For a grid of (tiles in n, tiles in m, batch)."""
        return Tile.of_batch(kernel, rows, columns, kernel.workgroup_id(2))

    @staticmethod
    def of_batch(kernel: Kernel, rows: int, columns: int, batch: Index) -> Tile:
        """For a grid of (tiles in n, tiles in m, anything that gives the batch)."""
        return Tile(
            kernel,
            rows,
            columns,
            kernel.mul(kernel.workgroup_id(1), rows),
            kernel.mul(kernel.workgroup_id(0), columns),
            batch,
        )

    @cached_property
    def batch_indices(self) -> Indices:
        return self.kernel.indices("batch", self.batch)
