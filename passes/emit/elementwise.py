# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clones the regions of a product into a kernel, on scalars or on vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iree.compiler import ir
from iree.compiler.dialects import arith, vector

from .narrow import is_narrow, low_bits, rounded, wide_type

_WIDENING = ("arith.extf", "arith.extsi")
_NARROWING = ("arith.truncf", "arith.trunci")
_UNSIGNED = ("arith.extui", "arith.uitofp", "arith.shrui", "arith.divui", "arith.remui")


def inline(
    block: ir.Block, arguments: Sequence[ir.Value], *, is_wide: bool = False
) -> list[ir.Value]:
    """The values that a region yields for its arguments.

    Where an argument is a vector, scalars beside it are broadcast. With `is_wide`,
    narrow elements are held as f32 or i32, see `narrow.py`.
    """
    width = max((_width(a) for a in arguments), default=0)
    values = {
        argument: _widened(value, width)
        for argument, value in zip(block.arguments, arguments, strict=True)
    }
    *body, terminator = block.operations
    for view in body:
        op = view.operation
        operands = [values[v] for v in op.operands]
        values[op.result] = (
            _clone_wide(op, operands, width)
            if is_wide
            else _clone(op, operands, width, op.result.type)
        )
    return [values[v] for v in terminator.operands]


def convert(value: ir.Value, element: ir.Type) -> ir.Value:
    """Widens a float to `element`, or an integer with its sign."""
    type_ = _typed(element, _width(value))
    if value.type == type_:
        return value
    if isinstance(element, ir.IntegerType):
        return arith.extsi(type_, value)
    return arith.extf(type_, value)


def _clone(
    op: ir.Operation, operands: list[ir.Value], width: int, element: ir.Type
) -> ir.Value:
    attributes = {name: op.attributes[name] for name in op.attributes}
    type_ = _typed(element, width)
    if op.name == "arith.constant":
        attributes["value"] = _constant(type_, attributes["value"])
    return ir.Operation.create(
        op.name, results=[type_], operands=operands, attributes=attributes
    ).result


def _constant(type_: ir.Type, value: ir.Attribute) -> ir.Attribute:
    element = type_.element_type if isinstance(type_, ir.VectorType) else type_
    if value.type != element:
        get = ir.IntegerAttr if isinstance(element, ir.IntegerType) else ir.FloatAttr
        value = get.get(element, value.value)
    if isinstance(type_, ir.VectorType):
        return ir.DenseElementsAttr.get_splat(type_, value)
    return value


def _clone_wide(op: ir.Operation, operands: list[ir.Value], width: int) -> ir.Value:
    """An operation on wide values; what it makes narrow is rounded or wrapped."""
    element = op.result.type
    if op.name in _WIDENING and is_narrow(op.operands[0].type):
        return operands[0]
    if op.name in _UNSIGNED and is_narrow(op.operands[0].type):
        narrow = op.operands[0].type
        operands = [_map(o, lambda e: low_bits(e, narrow)) for o in operands]
    if op.name == "arith.extui" and is_narrow(op.operands[0].type):
        return operands[0]
    if op.name in _NARROWING and is_narrow(element):
        return _map(operands[0], lambda e: rounded(e, element))
    if not is_narrow(element):
        return _clone(op, operands, width, element)
    value = _clone(op, operands, width, wide_type(element))
    if op.name == "arith.constant":
        return value
    return _map(value, lambda e: rounded(e, element))


def _map(value: ir.Value, change: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Changes each element of a vector, or a scalar."""
    width = _width(value)
    if not width:
        return change(value)
    elements = [change(vector.extract(value, [], [n])) for n in range(width)]
    return vector.from_elements(ir.VectorType.get([width], elements[0].type), elements)


def _width(value: ir.Value) -> int:
    return value.type.shape[0] if isinstance(value.type, ir.VectorType) else 0


def _typed(element: ir.Type, width: int) -> ir.Type:
    return ir.VectorType.get([width], element) if width else element


def _widened(value: ir.Value, width: int) -> ir.Value:
    if _width(value) == width:
        return value
    return vector.broadcast(_typed(value.type, width), value)
