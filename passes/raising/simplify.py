# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simplifications of expressions that never change a bit of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from iree.compiler import ir

from .contraction import Contraction
from .expression import (
    Accumulator,
    Apply,
    Expression,
    apply,
    constant,
    is_constant,
)

# Sums of this many bits and less are left as they are.
_WORD = 32
_MODULAR = ("arith.addi", "arith.subi", "arith.muli")
_EXTENSIONS = ("arith.extsi", "arith.extui")
_EXACT_CASTS = {"arith.extf": ("f16", "bf16"), "arith.extsi": ("i8",)}


def simplified(contraction: Contraction) -> Contraction:
    """A zero init disappears, and so do the wide integers around 32-bit sums."""
    return contraction.map_nodes(_simplified_node)


def narrowed(node: Expression, type_: ir.IntegerType) -> Expression:
    """The low bits of an integer: sums and products of low bits where it is one."""
    width = ir.IntegerType(node.type).width
    if width == type_.width:
        return node
    if width < type_.width:
        return apply("arith.extsi", (node,), type_)
    return _low_bits(node, type_) or apply("arith.trunci", (node,), type_)


def without_exact_casts(contraction: Contraction) -> Contraction:
    """The operands in their narrowest types, in which matrix hardware takes them."""
    lhs, rhs = map(_without_exact_cast, (contraction.lhs, contraction.rhs))
    return replace(contraction, lhs=lhs, rhs=rhs)


def _without_exact_cast(node: Expression) -> Expression:
    """Without a widening cast at the end: the product is exact in either type."""
    while isinstance(node, Apply) and node.name in _EXACT_CASTS:
        if str(node.operands[0].type) not in _EXACT_CASTS[node.name]:
            break
        node = node.operands[0]
    return node


def _simplified_node(node: Expression) -> Expression:
    if not isinstance(node, Apply) or node.name not in _RULES:
        return node
    return _RULES[node.name](node)


def _truncated(node: Apply) -> Expression:
    (source,) = node.operands
    return _low_bits(source, ir.IntegerType(node.type)) or node


def _low_bits(source: Expression, type_: ir.IntegerType) -> Expression | None:
    """A truncation moved to the leaves, where most of them cancel extensions."""
    if not isinstance(source, Apply):
        return None
    if source.name == "arith.constant":
        return constant(type_, _wrapped(source.attributes["value"].value, type_.width))
    if source.name in _EXTENSIONS:
        return _shortened(source, type_)
    if source.name == "arith.trunci":
        return narrowed(source.operands[0], type_)
    if source.name in _MODULAR and ir.IntegerType(source.type).width > _WORD:
        operands = [narrowed(o, type_) for o in source.operands]
        return apply(source.name, operands, type_)
    return None


def _shortened(extension: Apply, type_: ir.IntegerType) -> Expression:
    (inner,) = extension.operands
    if ir.IntegerType(inner.type).width < type_.width:
        return apply(extension.name, (inner,), type_)
    return narrowed(inner, type_)


def _extended(node: Apply) -> Expression:
    """The extension of a byte's low half, without a 4-bit value between."""
    (source,) = node.operands
    if not isinstance(source, Apply) or source.name != "arith.trunci":
        return node
    (byte,) = source.operands
    if (str(source.type), str(byte.type)) != ("i4", "i8"):
        return node
    four = constant(byte.type, 4)
    if node.name in ("arith.extui", "arith.uitofp"):
        low: Expression = apply(
            "arith.andi", (byte, constant(byte.type, 15)), byte.type
        )
    else:
        high = apply("arith.shli", (byte, four), byte.type)
        low = apply("arith.shrsi", (high, four), byte.type)
    return low if node.type == byte.type else replace(node, operands=(low,))


def _with_short_exponent(node: Apply) -> Expression:
    """A 64-bit exponent that fits in 32 bits, which every target has."""
    base, exponent = node.operands
    if str(exponent.type) != "i64" or not isinstance(exponent, Apply):
        return node
    short = narrowed(exponent, ir.IntegerType.get_signless(32))
    is_same = is_constant(short, float(exponent.attributes["value"].value))
    return replace(node, operands=(base, short)) if is_same else node


def _wrapped(value: int, width: int) -> int:
    low = value & ((1 << width) - 1)
    return low - (1 << width) if low >> (width - 1) else low


def _sum_without_zero(node: Apply) -> Expression:
    """`0 + accumulator` is the accumulator: C is then never read."""
    first, second = node.operands
    if _is_zero(first) and isinstance(second, Accumulator):
        return second
    return node


def _is_zero(node: Expression) -> bool:
    if isinstance(node, Apply) and node.name in ("arith.extf", "arith.extsi"):
        return _is_zero(node.operands[0])
    return is_constant(node, 0.0)


_RULES: dict[str, Callable[[Apply], Expression]] = {
    "arith.trunci": _truncated,
    "arith.extsi": _extended,
    "arith.extui": _extended,
    "arith.sitofp": _extended,
    "arith.uitofp": _extended,
    "math.fpowi": _with_short_exponent,
    "arith.addf": _sum_without_zero,
    "arith.addi": _sum_without_zero,
}
