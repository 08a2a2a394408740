# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the program promises about sizes that are known at run time alone."""

from __future__ import annotations

import re

from iree.compiler import ir

from .contraction import DynamicSize, Size
from .values import producer_of

_WITH_SIZES = (
    "flow.tensor.tie_shape",
    "hal.tensor.import",
    "tensor.empty",
    "tensor.expand_shape",
)
# Signless 64-bit sizes without a promise have this one.
_NO_PROMISE = 2**63 - 1


def upper_bound(size: Size) -> int | None:
    """The greatest value that `util.assume.int` promises of a dynamic size."""
    if not isinstance(size, DynamicSize):
        return None
    index = size_operand(size.value, size.axis)
    greatest = None if index is None else _promised(index)
    return None if greatest is None else greatest // size.divisor


def size_operand(value: ir.Value, axis: int) -> ir.Value | None:
    """The index value that an operation takes for a dynamic size of its result."""
    op = producer_of(value)
    if op is None:
        return None
    if op.name.startswith("linalg.") and op.results:
        # A result has the sizes of what it overwrites.
        return size_operand(op.operands[len(op.operands) - len(op.results)], axis)
    if op.name not in _WITH_SIZES:
        return None
    type_ = ir.RankedTensorType(value.type)
    position = sum(type_.is_dynamic_dim(n) for n in range(axis))
    sizes = [v for v in op.operands if isinstance(v.type, ir.IndexType)]
    return sizes[position]


def _promised(index: ir.Value) -> int | None:
    op = producer_of(index)
    if op is None or op.name != "util.assume.int":
        return None
    number = list(op.results).index(index)
    # There are no Python bindings for the assumptions; one set a call site.
    cases = str(ir.ArrayAttr(op.attributes["assumptions"])[number])
    limits = [re.search(r"umax = (\d+)", c) for c in cases.split(">")[:-1]]
    if not limits or None in limits:
        return None
    greatest = max(int(m[1]) for m in limits if m)
    return greatest if greatest < _NO_PROMISE else None
