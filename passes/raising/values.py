# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What values come from."""

from __future__ import annotations

from iree.compiler import ir

_ON_THE_HOST = ("hal.buffer_view.dim", "tensor.dim", "util.global.load")
_COMPUTED_BY = ("affine", "arith", "index", "util")


def producer_of(value: ir.Value | ir.Attribute) -> ir.Operation | None:
    if isinstance(value, ir.BlockArgument | ir.Attribute):
        return None
    owner = value.owner
    return owner.operation if isinstance(owner, ir.OpView | ir.Operation) else None


def constant_index(value: ir.Value) -> int | None:
    op = producer_of(value)
    if op is None or op.name != "arith.constant":
        return None
    return ir.IntegerAttr(op.attributes["value"]).value


def is_on_host(index: ir.Value) -> bool:
    """Whether an index is computed without a tensor's elements."""
    pending = [index]
    seen: set[ir.Value] = set()
    while pending:
        value = pending.pop()
        op = producer_of(value)
        if value in seen or op is None or op.name in _ON_THE_HOST:
            continue
        if op.name.partition(".")[0] not in _COMPUTED_BY:
            return False
        seen.add(value)
        pending += op.operands
    return True
