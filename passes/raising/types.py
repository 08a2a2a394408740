# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types that kernels compute with."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from .contraction import Contraction
from .expression import Expression, Load, walk

FLOATS = ("f16", "bf16", "f32")
STORED = frozenset(("f32", "f16", "bf16", "i32", "i16", "i8"))
# Tensors of these are read as wider ones, see storage.py.
_VIEWED = frozenset(("i1", "i4"))


def unsupported_type(nodes: Sequence[Expression]) -> str | None:
    """The first type of an expression's values that kernels cannot hold.

    Results of operations may be flags, and 4-bit integers on the way to a wider type.
    """
    for node in walk(nodes):
        type_ = str(node.type)
        if type_ not in STORED | _VIEWED:
            place = "read" if isinstance(node, Load) else "computed"
            return f"element type {type_} cannot be {place} in a kernel"
    return None


def unsupported_storage(contraction: Contraction) -> str | None:
    """The first type that kernels can neither read nor write."""
    reads = ((load.type, "read") for load in contraction.loads())
    writes = ((element.type, "written") for element in contraction.elements)
    for type_, verb in (*reads, *writes):
        if str(type_) not in STORED:
            return f"element type {type_} cannot be {verb} by a kernel"
    return None


def is_float(type_: ir.Type) -> bool:
    return str(type_) in FLOATS
