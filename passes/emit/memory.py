# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers of a kernel: bindings and workgroup memory, both as flat memrefs."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import memref

from .arithmetic import Arithmetic, Index

RUN = 4
"""Neighbors that a load or store moves as one vector: 16 bytes of 32-bit elements."""


@dataclass(frozen=True)
class Buffer:
    """A flat memref of scalars, or of vectors of `width` elements."""

    memref: ir.Value
    width: int
    arithmetic: Arithmetic

    def load(self, offset: Index) -> ir.Value:
        """The element, or the aligned vector, at an offset in elements."""
        return memref.load(self.memref, [self._slot(offset)])

    def load_slot(self, slot: Index) -> ir.Value:
        """The same by the number of the vector."""
        return memref.load(self.memref, [self.arithmetic.value(slot)])

    def store(self, value: ir.Value, offset: Index) -> None:
        memref.store(value, self.memref, [self._slot(offset)])

    def store_slot(self, value: ir.Value, slot: Index) -> None:
        memref.store(value, self.memref, [self.arithmetic.value(slot)])

    def _slot(self, offset: Index) -> ir.Value:
        return self.arithmetic.value(self.arithmetic.div(offset, self.width))


@dataclass(frozen=True)
class WorkgroupTile:
    """A row-major tile in workgroup memory, one element a slot."""

    buffer: Buffer
    rows: int
    columns: int

    def load(self, row: Index, column: Index) -> ir.Value:
        return self.buffer.load(self._offset(row, column))

    def store(self, value: ir.Value, row: Index, column: Index) -> None:
        self.buffer.store(value, self._offset(row, column))

    def _offset(self, row: Index, column: Index) -> Index:
        arithmetic = self.buffer.arithmetic
        return arithmetic.add(arithmetic.mul(row, self.columns), column)


def workgroup_buffer(
    arithmetic: Arithmetic, count: int, element: ir.Type, width: int = 1
) -> Buffer:
    """`count` elements of workgroup memory in slots of `width`."""
    slot = ir.VectorType.get([width], element) if width > 1 else element
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    type_ = ir.MemRefType.get([count // width], slot, memory_space=space)
    return Buffer(memref.alloc(type_, [], []), width, arithmetic)


def storage_buffer_type(length: int | None, element: ir.Type, width: int) -> ir.Type:
    """`length` elements in vectors of `width`; None is a run-time length."""
    dynamic = ir.ShapedType.get_dynamic_size()
    count = dynamic if length is None else -(-length // width)
    if width > 1:
        element = ir.VectorType.get([width], element)
    space = ir.Attribute.parse("#hal.descriptor_type<storage_buffer>")
    return ir.MemRefType.get([count], element, memory_space=space)
