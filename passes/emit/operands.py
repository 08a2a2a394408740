# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Access to the tensors of a product from inside its kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith, vector

from iree_gemm.problem import ONE, ZERO, Operand, Size

from .arithmetic import Arithmetic, Index
from .elementwise import convert, inline
from .memory import Buffer

Indices = Mapping[int, Index]
"""An index for each axis that moves; the others stay at zero."""


@dataclass(frozen=True)
class Input:
    """A tensor behind a buffer, or a scalar that is a value."""

    operand: Operand
    source: Buffer | ir.Value


@dataclass(frozen=True)
class Sizes:
    """Run-time values of the dimensions that the problem's sizes name."""

    arithmetic: Arithmetic
    symbols: Mapping[int, ir.Value]

    def value(self, size: Size) -> Index:
        if size.static is not None:
            return size.static
        result: Index = size.factor
        for symbol in size.symbols:
            result = self.arithmetic.mul(result, self.symbols[symbol])
        return result

    def element(self, operand: Operand, indices: Indices) -> Index:
        """The element at indices, counted from the first of the tensor."""
        return self.arithmetic.add(self.start(operand), self.offset(operand, indices))

    def start(self, operand: Operand, width: int = 1) -> Index:
        """Where the tensor's indexed part starts, in vectors of `width`."""
        arithmetic = self.arithmetic
        result: Index = operand.offset // width
        for symbol, stride in operand.starts:
            slots = self.value(stride.divided(width))
            step = arithmetic.mul(self.symbols[symbol], slots)
            result = arithmetic.add(result, step)
        return result

    def offset(self, operand: Operand, indices: Indices, width: int = 1) -> Index:
        """From the start of the tensor's indexed part, in vectors of `width`.

        The strides and the index of the contiguous axis are multiples of the width;
        dividing them here keeps a division out of every address.
        """
        result: Index = 0
        for axis, index in indices.items():
            stride = operand.strides[axis]
            if stride == ZERO:
                continue
            if stride == ONE:
                step = self.arithmetic.div(index, width)
            else:
                slots = self.value(stride.divided(width))
                step = self.arithmetic.mul(index, slots)
            result = self.arithmetic.add(result, step)
        return result


@dataclass(frozen=True)
class Elements:
    """One side of a product, or the extras: inputs, and the region over them."""

    inputs: tuple[Input, ...]
    sizes: Sizes
    width: int
    """Elements that one load brings, along the unit axis."""
    unit: int | None
    is_packed: bool = False
    """Loads bring elements as they lie, as 16-byte quads of integers."""
    is_wide: bool = False
    """Narrow elements are held as f32 or i32."""

    def offsets(
        self, indices: Indices, bases: list[Index] | None = None
    ) -> list[Index]:
        """One offset an input, in slots; `bases` are offsets to start from."""
        add = self.sizes.arithmetic.add
        widths = [self._slot_width(i) for i in self.inputs]
        starts = bases or [
            self.sizes.start(i.operand, width)
            for i, width in zip(self.inputs, widths, strict=True)
        ]
        return [
            add(start, self.sizes.offset(i.operand, indices, width))
            for start, i, width in zip(starts, self.inputs, widths, strict=True)
        ]

    def load(self, offsets: list[Index]) -> list[ir.Value]:
        return [
            self._load(i, offset)
            for i, offset in zip(self.inputs, offsets, strict=True)
        ]

    def _load(self, source: Input, offset: Index) -> ir.Value:
        if not isinstance(source.source, Buffer):
            return source.source
        if self._slot_width(source) == 1:
            return source.source.load(offset)
        return source.source.load_slot(offset)

    def _slot_width(self, source: Input) -> int:
        """The elements of a slot, where the buffer's slots are its vectors."""
        if self.is_packed or type(source.source) is not Buffer:
            return 1
        return source.source.width


def product_element(
    elements: Elements, block: ir.Block, offsets: list[Index], element: ir.Type
) -> ir.Value:
    """Loads, decodes and widens what a side contributes to a product."""
    loaded = elements.load(offsets)
    (value,) = inline(block, loaded, is_wide=elements.is_wide)
    return convert(value, element)


def input_width(operand: Operand, width: int, unit: int | None) -> int:
    """The width of an input's loads when its side is loaded `width` at a time."""
    if width > 1 and unit is not None and operand.strides[unit] == ONE:
        return width
    return 1


def unpack_scalar(word: ir.Value, type_: ir.Type) -> ir.Value:
    """The scalar that `pack_scalar` put in an i32."""
    if isinstance(type_, ir.IntegerType):
        return word if type_.width == 32 else arith.trunci(type_, word)
    if isinstance(type_, ir.F32Type):
        return arith.bitcast(type_, word)
    half = arith.trunci(ir.IntegerType.get_signless(16), word)
    return arith.bitcast(type_, half)


def pack_scalar(value: ir.Value) -> ir.Value:
    """A scalar of at most 32 bits as the i32 that a dispatch can pass."""
    i32 = ir.IntegerType.get_signless(32)
    if isinstance(value.type, ir.IntegerType):
        return value if value.type.width == 32 else arith.extsi(i32, value)
    if isinstance(value.type, ir.F32Type):
        return arith.bitcast(i32, value)
    half = arith.bitcast(ir.IntegerType.get_signless(16), value)
    return arith.extui(i32, half)


def splat(value: ir.Value, width: int) -> ir.Value:
    """The value in every element of a vector."""
    return vector.broadcast(ir.VectorType.get([width], value.type), value)
