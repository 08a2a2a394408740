# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds values that IREE computes at compile time.

IREE moves constant expressions into initializers and evaluates those on the CPU, which
a GPU kernel of ours would not survive.
"""

from __future__ import annotations

from collections.abc import Iterable

from iree.compiler import ir

_PURE_DIALECTS = ("arith", "gemm", "linalg", "math", "tensor")


def all_constant(values: Iterable[ir.Value], symbols: ir.SymbolTable) -> bool:
    """Whether every value depends on constants and immutable globals alone."""
    # Without recursion: networks are deeper than Python's stack.
    pending = list(values)
    seen: set[ir.Value] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        op = None if isinstance(value, ir.BlockArgument) else value.owner.operation
        if op is None or not _is_pure(op, symbols):
            return False
        pending += [*op.operands, *_captured(op)]
    return True


def _captured(op: ir.Operation) -> set[ir.Value]:
    """The values that an operation's regions read from around it."""
    blocks = [block for region in op.regions for block in region.blocks]
    read: set[ir.Value] = set()
    own: set[ir.Value] = set()
    for block in blocks:
        own.update(block.arguments)
        for view in block.operations:
            own.update(view.operation.results)
            read.update([*view.operation.operands, *_captured(view.operation)])
    return read - own


def _is_pure(op: ir.Operation, symbols: ir.SymbolTable) -> bool:
    """Whether an operation is constant where its operands are."""
    if op.name == "util.global.load":
        name = ir.FlatSymbolRefAttr(op.attributes["global"]).value
        return "is_mutable" not in symbols[name].operation.attributes
    return op.name.partition(".")[0] in _PURE_DIALECTS
