# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Narrow elements in 32-bit words, for targets without 8-bit or 16-bit storage.

Elements are held wide: f16 and bf16 as f32, i8 as i32. IREE 3.13 emulates narrow
integers as scalars, reads vectors of them wrongly, and takes f16 for f32.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith, memref, vector

from .arithmetic import Index
from .memory import Buffer

_WORD = 32


def wide_type(element: ir.Type) -> ir.Type:
    """The type in which an element is held."""
    if isinstance(element, ir.IntegerType):
        return ir.IntegerType.get_signless(_WORD)
    return ir.F32Type.get()


def is_narrow(element: ir.Type) -> bool:
    """Whether an element takes less than a word; flags are no elements of tensors."""
    if isinstance(element, ir.IntegerType):
        return 1 < element.width < _WORD
    return isinstance(element, ir.F16Type | ir.BF16Type)


@dataclass(frozen=True)
class NarrowBuffer(Buffer):
    """Narrow elements, `width` a load, in a flat memref of words.

    Scalars are stored through a memref of narrow integers instead, since two
    invocations may share a word: IREE stores those with atomic operations.
    """

    element: ir.Type

    @property
    def per_word(self) -> int:
        return _WORD // self.element.width

    def load(self, offset: Index) -> ir.Value:
        """The element, or the aligned vector, at an offset in elements, held wide."""
        if self.width == 1:
            word = self._load_word(self.arithmetic.div(offset, self.per_word))
            place = self.arithmetic.rem(offset, self.per_word)
            return widen(self._shifted(word, place), self.element)
        slot = self.arithmetic.div(offset, self.per_word)
        words = [
            self._load_word(self.arithmetic.add(slot, n))
            for n in range(self.width // self.per_word)
        ]
        values = [
            widen(self._shifted(word, place), self.element)
            for word in words
            for place in range(self.per_word)
        ]
        type_ = ir.VectorType.get([self.width], values[0].type)
        return vector.from_elements(type_, values)

    def store(self, value: ir.Value, offset: Index) -> None:
        """Stores a wide scalar or vector, rounded."""
        parts = [narrow(e, self.element) for e in self.arithmetic.elements(value)]
        if self.width == 1:
            part = arith.trunci(self.memref.type.element_type, parts[0])
            memref.store(part, self.memref, [self.arithmetic.value(offset)])
            return
        slot = self.arithmetic.div(offset, self.per_word)
        for n in range(0, len(parts), self.per_word):
            word = self._packed(parts[n : n + self.per_word])
            at = self.arithmetic.add(slot, n // self.per_word)
            memref.store(word, self.memref, [self.arithmetic.value(at)])

    def _load_word(self, slot: Index) -> ir.Value:
        return memref.load(self.memref, [self.arithmetic.value(slot)])

    def _shifted(self, word: ir.Value, place: Index) -> ir.Value:
        bits = self.arithmetic.mul(place, self.element.width)
        if isinstance(bits, int):
            return arith.shrui(word, _constant(bits)) if bits else word
        return arith.shrui(word, arith.index_castui(word.type, bits))

    def _packed(self, parts: list[ir.Value]) -> ir.Value:
        word = parts[0]
        for n, part in enumerate(parts[1:], start=1):
            shifted = arith.shli(part, _constant(n * self.element.width))
            word = arith.ori(word, shifted)
        return word


def widen(bits: ir.Value, element: ir.Type) -> ir.Value:
    """The value of the low bits of a word as f32 or i32."""
    if isinstance(element, ir.IntegerType):
        spare = _constant(_WORD - element.width)
        return arith.shrsi(arith.shli(bits, spare), spare)
    if isinstance(element, ir.BF16Type):
        return arith.bitcast(ir.F32Type.get(), arith.shli(bits, _constant(16)))
    return _half_to_float(bits)


def narrow(value: ir.Value, element: ir.Type) -> ir.Value:
    """The low bits of a word for an f32 or i32, rounded to nearest even."""
    if isinstance(element, ir.IntegerType):
        return low_bits(value, element)
    word = ir.IntegerType.get_signless(_WORD)
    bits = arith.bitcast(word, value)
    return _rounded_bfloat(bits) if isinstance(element, ir.BF16Type) else _half(bits)


def low_bits(value: ir.Value, element: ir.Type) -> ir.Value:
    """A wide integer without its sign."""
    return arith.andi(value, _constant((1 << element.width) - 1))


def rounded(value: ir.Value, element: ir.Type) -> ir.Value:
    """A wide value after the rounding to `element`."""
    return widen(narrow(value, element), element)


def _half_to_float(bits: ir.Value) -> ir.Value:
    """Exponent and mantissa moved into place, scaled by 2^112; inf and NaN apart."""
    f32 = ir.F32Type.get()
    magnitude = arith.shli(arith.andi(bits, _constant(0x7FFF)), _constant(13))
    scaled = arith.mulf(arith.bitcast(f32, magnitude), _float(2.0**112))
    special = arith.ori(magnitude, _constant(0x7F800000))
    is_special = arith.cmpi(arith.CmpIPredicate.uge, magnitude, _constant(0x7C00 << 13))
    value = arith.select(is_special, special, arith.bitcast(special.type, scaled))
    sign = arith.shli(arith.andi(bits, _constant(0x8000)), _constant(16))
    return arith.bitcast(f32, arith.ori(value, sign))


def _half(bits: ir.Value) -> ir.Value:
    """The f16 nearest to the f32 with these bits, ties to even.

    Normal numbers: the mantissa is rounded by integer addition, whose carry runs into
    the exponent. Below 2^-14 an addition of 0.5 lets the hardware round.
    """
    f32 = ir.F32Type.get()
    magnitude = arith.andi(bits, _constant(0x7FFFFFFF))
    odd = arith.andi(arith.shrui(magnitude, _constant(13)), _constant(1))
    rebased = arith.addi(magnitude, _constant(0xC8000FFF - (1 << 32)))
    normal = arith.shrui(arith.addi(rebased, odd), _constant(13))
    summed = arith.addf(arith.bitcast(f32, magnitude), _float(0.5))
    tiny = arith.subi(arith.bitcast(bits.type, summed), _constant(0x3F000000))
    uge, ugt = arith.CmpIPredicate.uge, arith.CmpIPredicate.ugt
    is_tiny = arith.cmpi(arith.CmpIPredicate.ult, magnitude, _constant(0x38800000))
    half = arith.select(is_tiny, tiny, normal)
    overflows = arith.cmpi(uge, magnitude, _constant(0x477FF000))
    half = arith.select(overflows, _constant(0x7C00), half)
    is_nan = arith.cmpi(ugt, magnitude, _constant(0x7F800000))
    half = arith.select(is_nan, _constant(0x7E00), half)
    sign = arith.andi(arith.shrui(bits, _constant(16)), _constant(0x8000))
    return arith.ori(half, sign)


def _rounded_bfloat(bits: ir.Value) -> ir.Value:
    odd = arith.andi(arith.shrui(bits, _constant(16)), _constant(1))
    carried = arith.addi(arith.addi(bits, _constant(0x7FFF)), odd)
    magnitude = arith.andi(bits, _constant(0x7FFFFFFF))
    is_nan = arith.cmpi(arith.CmpIPredicate.ugt, magnitude, _constant(0x7F800000))
    return arith.select(is_nan, _constant(0x7FC0), arith.shrui(carried, _constant(16)))


def _constant(number: int) -> ir.Value:
    type_ = ir.IntegerType.get_signless(_WORD)
    signed = number - (1 << _WORD) if number >= 1 << (_WORD - 1) else number
    return arith.constant(type_, ir.IntegerAttr.get(type_, signed))


def _float(number: float) -> ir.Value:
    type_ = ir.F32Type.get()
    return arith.constant(type_, ir.FloatAttr.get(type_, number))
