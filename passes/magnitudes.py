# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How large the integers are that a side contributes to a product."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from iree.compiler import ir

Range = tuple[int, int]
_NARROW_BITS = 16


def largest_magnitude(block: ir.Block, operands: Sequence[ir.Value]) -> int | None:
    """The largest |value| that a region can yield for elements of its operands.

    None where that is not known.
    """
    ranges: dict[ir.Value, Range] = {}
    for argument, operand in zip(block.arguments, operands, strict=True):
        if found := _constant(operand.owner) or _range_of(argument.type):
            ranges[argument] = found
    *body, terminator = (view.operation for view in block.operations)
    for op in body:
        operands = [ranges.get(v) for v in op.operands]
        found = None if None in operands else _result(op, operands)
        if found is not None:
            ranges[op.result] = found
    last = ranges.get(terminator.operands[0])
    return None if last is None else max(map(abs, last))


def _range_of(type_: ir.Type) -> Range | None:
    """That of narrow integers with a sign."""
    if not isinstance(type_, ir.IntegerType) or type_.width > _NARROW_BITS:
        return None
    half = 1 << (type_.width - 1)
    return -half, half - 1


def _constant(owner: ir.Operation | ir.Block) -> Range | None:
    """That of the result of an operation, if it is a constant integer."""
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    value = owner.attributes["value"]
    return (value.value,) * 2 if isinstance(value, ir.IntegerAttr) else None


def _result(op: ir.Operation, operands: list) -> Range | None:
    if op.name == "arith.constant":
        return _constant(op)
    if op.name not in _RESULTS:
        return None
    low, high = _RESULTS[op.name](op, *operands)
    whole = _range_of(op.result.type)
    wraps = whole is not None and not (whole[0] <= low and high <= whole[1])
    return whole if wraps else (low, high)


def _unsigned(op: ir.Operation, given: Range) -> Range:
    low, high = given
    if low >= 0:
        return given
    full = 1 << op.operands[0].type.width
    return (low + full, high + full) if high < 0 else (0, full - 1)


_RESULTS: Mapping[str, Callable[..., Range]] = {
    "arith.extsi": lambda op, a: a,
    "arith.extui": _unsigned,
    "arith.addi": lambda op, a, b: (a[0] + b[0], a[1] + b[1]),
    "arith.subi": lambda op, a, b: (a[0] - b[1], a[1] - b[0]),
}
