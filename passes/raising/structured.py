# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads operations over whole tensors as accesses and expressions.

Structured operations, named or generic, and scalar operations applied to tensors.
"""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir
from iree.compiler.dialects import linalg

from iree_gemm.dialects.linear import Access, Linear, access_of_map, dims_of, substitute

from .expression import (
    Expression,
    Load,
    NotElementwise,
    apply_like,
    expressions_of_body,
    is_elementwise,
)


def accesses_of(op: ir.Operation) -> list[Access] | None:
    """One access an operand, results last; None where there is no such form."""
    if _is_scalar_op_on_tensors(op):
        rank = ir.RankedTensorType(op.result.type).rank
        every = tuple(Linear.dim(d) for d in range(rank))
        return [every] * (len(op.operands) + 1)
    if not op.name.startswith("linalg.") or len(op.regions) != 1:
        return None
    maps = linalg.get_indexing_maps(op)
    if maps is None or len(maps) != len(op.operands):
        return None
    accesses = []
    for map_ in maps:
        access = access_of_map(map_.value)
        if access is None:
            return None
        accesses.append(access)
    return accesses


def elementwise_accesses(op: ir.Operation) -> list[Access] | None:
    """The accesses of a structured op without reductions, results alike."""
    accesses = accesses_of(op)
    if not accesses or not op.results:
        return None
    *_, written = accesses
    results = accesses[len(accesses) - len(op.results) :]
    dims = {form.plain_dim for form in written}
    used = frozenset().union(*map(dims_of, accesses))
    if any(r != written for r in results) or dims != used:
        return None
    return accesses


def elements_of(op: ir.Operation, operands: Sequence[Expression]) -> list[Expression]:
    """An element of each result from those of the operands. Raises NotElementwise."""
    if _is_scalar_op_on_tensors(op):
        return [apply_like(op, operands)]
    block = op.regions[0].blocks[0]
    # Some operations do not hand the element that they overwrite to the body.
    count = len(block.arguments)
    return expressions_of_body(block, dict(enumerate(operands[:count])))


def elementwise_results(op: ir.Operation, result: Access) -> list[Expression] | None:
    """What each result of an elementwise op holds at an index of the first one."""
    accesses = elementwise_accesses(op)
    if accesses is None:
        return None
    dims = _inverse(accesses[-1], result)
    if dims is None:
        return None
    loads = [
        Load(value, substitute(access, dims.__getitem__))
        for value, access in zip(op.operands, accesses, strict=False)
    ]
    try:
        return elements_of(op, loads)
    except NotElementwise:
        return None


def _is_scalar_op_on_tensors(op: ir.Operation) -> bool:
    if not is_elementwise(op) or not op.operands:
        return False
    types = [v.type for v in (*op.operands, op.result)]
    return all(isinstance(t, ir.RankedTensorType) for t in types)


def _inverse(written: Access, result: Access) -> dict[int, Linear] | None:
    dims: dict[int, Linear] = {}
    for form, index in zip(written, result, strict=True):
        dim = form.plain_dim
        if dim is None:
            return None
        dims[dim] = index
    return dims
