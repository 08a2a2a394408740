# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads structured operations, named or generic, as accesses and expressions."""

from __future__ import annotations

from iree.compiler import ir
from iree.compiler.dialects import linalg

from .expression import Expression, Load, NotElementwise, expressions_of_body
from .linear import Access, Linear, access_of_map, substitute


def accesses_of(op: ir.Operation) -> list[Access] | None:
    """One access an operand; None where the operation has no such form."""
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
    n_dims = linalg.get_indexing_maps(op)[0].value.n_dims
    if any(r != written for r in results) or dims != set(range(n_dims)):
        return None
    return accesses


def elementwise_results(op: ir.Operation, result: Access) -> list[Expression] | None:
    """What each result of an elementwise op holds at an index of the first one."""
    accesses = elementwise_accesses(op)
    if accesses is None:
        return None
    dims = _inverse(accesses[-1], result)
    if dims is None:
        return None
    loads: dict[int, Expression] = {
        n: Load(value, substitute(access, dims.__getitem__))
        for n, (value, access) in enumerate(zip(op.operands, accesses, strict=True))
    }
    try:
        return expressions_of_body(op.regions[0].blocks[0], loads)
    except NotElementwise:
        return None


def _inverse(written: Access, result: Access) -> dict[int, Linear] | None:
    dims: dict[int, Linear] = {}
    for form, index in zip(written, result, strict=True):
        dim = form.plain_dim
        if dim is None:
            return None
        dims[dim] = index
    return dims
