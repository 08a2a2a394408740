# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clones the regions of a product into a kernel, on scalars or on vectors."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir
from iree.compiler.dialects import arith, vector


def inline(block: ir.Block, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """The values that a region yields for its arguments.

    Where an argument is a vector, scalars beside it are broadcast.
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
        values[op.result] = _clone(op, operands, width)
    return [values[v] for v in terminator.operands]


def convert(value: ir.Value, element: ir.Type) -> ir.Value:
    """Widens a float to `element`, or an integer with its sign."""
    type_ = _typed(element, _width(value))
    if value.type == type_:
        return value
    if isinstance(element, ir.IntegerType):
        return arith.extsi(type_, value)
    return arith.extf(type_, value)


def _clone(op: ir.Operation, operands: list[ir.Value], width: int) -> ir.Value:
    attributes = {name: op.attributes[name] for name in op.attributes}
    type_ = _typed(op.result.type, width)
    if op.name == "arith.constant" and width:
        splat = ir.DenseElementsAttr.get_splat(type_, attributes["value"])
        attributes["value"] = splat
    return ir.Operation.create(
        op.name, results=[type_], operands=operands, attributes=attributes
    ).result


def _width(value: ir.Value) -> int:
    return value.type.shape[0] if isinstance(value.type, ir.VectorType) else 0


def _typed(element: ir.Type, width: int) -> ir.Type:
    return ir.VectorType.get([width], element) if width else element


def _widened(value: ir.Value, width: int) -> ir.Value:
    if _width(value) == width:
        return value
    return vector.broadcast(_typed(value.type, width), value)
