# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads tensors of flags, of 64-bit and of 4-bit integers, which no kernel can bind.

Flags are widened to words, and 64-bit integers whose low halves alone are used are
shortened, by an operation of its own, which fuses with what computes them. Two 4-bit
integers are read as the byte that holds them, the low half first.
"""

from __future__ import annotations

from collections.abc import Callable

from iree.compiler import ir
from iree.compiler.dialects import arith

from iree_gemm.dialects.linear import Linear, split_index

from .contraction import Contraction
from .expression import Apply, Expression, Load, apply, constant
from .shapes import static_shape


def as_stored(contraction: Contraction) -> Contraction:
    """The product with every such load replaced; others stay as they are."""
    contraction = contraction.map_nodes(low_half)
    for load in contraction.loads():
        rewrite = _REWRITES.get(str(load.type))
        changed = rewrite(contraction, load) if rewrite and load.access else None
        if changed is not None:
            return as_stored(changed)
    return contraction


def stored_value(load: Load) -> ir.Value:
    """The tensor that a load reads, made at the insertion point where it has to be."""
    value, view = load.value, load.view
    if isinstance(value, ir.Attribute):
        return arith.constant(value.type, value)
    if view is None:
        return value
    source = ir.RankedTensorType(value.type)
    shape = [source.get_dim_size(n) for n in range(source.rank)]
    viewed = ir.RankedTensorType.get(shape, view)
    if str(source.element_type) == "i1":
        return arith.extui(viewed, value)
    if str(source.element_type) == "i64":
        return arith.trunci(viewed, value)
    *outer, last = static_shape(value)
    assert last is not None
    packed = ir.RankedTensorType.get([*outer, last // 2], view)
    return ir.Operation.create(
        "iree_tensor_ext.bitcast",
        results=[packed],
        operands=[value],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0])},
    ).result


def low_half(node: Expression) -> Expression:
    """The load of the low half, where a 64-bit integer is loaded for that alone."""
    if not isinstance(node, Apply) or node.name != "arith.trunci":
        return node
    (source,) = node.operands
    if not isinstance(source, Load) or not source.access or str(source.type) != "i64":
        return node
    if str(node.type) != "i32":
        return node
    return Load(source.value, source.access, node.type)


def _flag(contraction: Contraction, load: Load) -> Contraction:
    word = Load(load.value, load.access, ir.IntegerType.get_signless(32))
    return contraction.replace_load(load, apply("arith.trunci", (word,), load.type))


def _half_byte(contraction: Contraction, load: Load) -> Contraction | None:
    shape = static_shape(load.value)
    if None in shape or (shape[-1] or 0) % 2:
        return None
    *outer, index = load.access
    parts = split_index(index, 2, contraction.static_sizes)
    if parts is None:
        dim = index.plain_dim
        return None if dim is None else contraction.split(dim, 2)
    pair, half = parts
    byte = ir.IntegerType.get_signless(8)
    shifted = _shifted(Load(load.value, (*outer, pair), byte), half)
    return contraction.replace_load(load, apply("arith.trunci", (shifted,), load.type))


def _shifted(byte: Load, half: Linear) -> Expression:
    """The byte with the chosen half at its low end."""
    if not half.terms:
        amount: Expression = constant(byte.type, 4 * half.constant)
    else:
        tensor = ir.RankedTensorType.get([2], byte.type)
        shifts = [ir.IntegerAttr.get(byte.type, n) for n in (0, 4)]
        amount = Load(ir.DenseElementsAttr.get(shifts, tensor), (half,))
    return apply("arith.shrui", (byte, amount), byte.type)


_REWRITES: dict[str, Callable[[Contraction, Load], Contraction | None]] = {
    "i1": _flag,
    "i4": _half_byte,
}
