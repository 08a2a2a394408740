# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands as 16-byte quads of words: what matrix hardware loads fragments from.

A quad is four 32-bit integers that hold elements of a narrower type, so that copies
neither convert nor touch a bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iree.compiler import ir
from iree.compiler.dialects import arith, memref, vector

from iree_gemm.problem import Operand

from .arithmetic import Arithmetic
from .memory import Buffer
from .operands import Elements, Input

QUAD_BITS = 128
_WORD_BITS = 32


def quad_type() -> ir.Type:
    return ir.VectorType.get([4], ir.IntegerType.get_signless(_WORD_BITS))


def workgroup_quads(arithmetic: Arithmetic, count: int) -> Buffer:
    """Workgroup memory of `count` quads; its offsets count quads."""
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    type_ = ir.MemRefType.get([count], quad_type(), memory_space=space)
    return Buffer(memref.alloc(type_, [], []), 1, arithmetic)


def pack(elements: Sequence[ir.Value]) -> ir.Value:
    """The quad that holds scalars of at most 16 bits."""
    per_word = _WORD_BITS * len(elements) // QUAD_BITS
    starts = range(0, len(elements), per_word)
    words = [_word(elements[n : n + per_word]) for n in starts]
    return vector.from_elements(quad_type(), words)


def _word(elements: Sequence[ir.Value]) -> ir.Value:
    integer = ir.IntegerType.get_signless(_WORD_BITS // len(elements))
    bits = [e if e.type == integer else arith.bitcast(integer, e) for e in elements]
    joined = vector.from_elements(ir.VectorType.get([len(bits)], integer), bits)
    word = ir.VectorType.get([1], ir.IntegerType.get_signless(_WORD_BITS))
    return vector.extract(vector.bitcast(word, joined), [], [0])


def in_loads(elements: Elements) -> Elements:
    """The same side with strides, offsets and buffers that count loads.

    The index of the unit axis then counts loads too.
    """
    inputs = tuple(_in_loads(i, elements.unit) for i in elements.inputs)
    return replace(elements, inputs=inputs)


def _in_loads(source: Input, unit: int | None) -> Input:
    buffer = source.source
    if not isinstance(buffer, Buffer) or buffer.width == 1:
        return source
    assert unit is not None, "vectors lie along the unit axis"
    operand = _divided(source.operand, unit, buffer.width)
    return Input(operand, replace(buffer, width=1))


def _divided(operand: Operand, unit: int, width: int) -> Operand:
    strides = tuple(
        s if axis == unit else s.divided(width)
        for axis, s in enumerate(operand.strides)
    )
    starts = tuple((symbol, s.divided(width)) for symbol, s in operand.starts)
    offset = operand.offset // width
    return replace(operand, strides=strides, offset=offset, starts=starts)
