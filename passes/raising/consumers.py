# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds the operations that follow a product into its outputs.

Consumers are taken in block order, all of an elementwise graph: gelu reads the
biased product twice. The longest prefix wins after which one value is left that
others read, or several that are casts of one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iree.compiler import ir

from .contraction import Contraction, N, Output
from .expression import (
    Apply,
    Expression,
    Load,
    NotElementwise,
    expressions_of_body,
)
from .linear import Access, Linear, substitute
from .producers import (
    collapsed_access,
    elementwise_accesses,
    expanded_access,
    reassociation,
    static_shape,
)

_CASTS = ("arith.truncf", "arith.extf")


def fold_consumers(contraction: Contraction) -> Contraction:
    """The product with as many consumers as leave it one pass over its result."""
    best = current = contraction
    while (changed := _fold_next(current)) is not None:
        current = changed
        live = _live(current)
        if _is_one_result(live) and _stores_well(live) and _is_placeable(live):
            best = live
    return best


def fastest_dim(access: Access) -> int | None:
    """The dimension whose steps are shortest in memory."""
    terms = next((form.terms for form in reversed(access) if form.terms), ())
    return min(terms, key=lambda term: term[1])[0] if terms else None


def _fold_next(contraction: Contraction) -> Contraction | None:
    for user in _outside_users(contraction):
        if user.block != contraction.root.block:
            continue
        changed = _fold_one(contraction, user)
        while changed is not None and user not in changed.consumed:
            changed = _fold_one(changed, user)
        if changed is not None:
            return changed
    return None


def _outside_users(contraction: Contraction) -> list[ir.Operation]:
    """The operations that read an output and are not folded, in block order."""
    users: list[ir.Operation] = []
    for output in contraction.outputs:
        for use in output.value.uses:
            user = use.owner.operation
            if user in contraction.consumed or user in users:
                continue
            position = sum(_is_before(u, user) for u in users)
            users.insert(position, user)
    return users


def _is_before(a: ir.Operation, b: ir.Operation) -> bool:
    return a.block == b.block and a.is_before_in_block(b)


def _fold_one(contraction: Contraction, op: ir.Operation) -> Contraction | None:
    """The consumer folded, or a dimension split on the way to it, or None."""
    if op.name in ("tensor.expand_shape", "tensor.collapse_shape"):
        return _fold_reshape(contraction, op)
    return _fold_elementwise(contraction, op)


def _fold_elementwise(contraction: Contraction, op: ir.Operation) -> Contraction | None:
    accesses = elementwise_accesses(op)
    if accesses is None or not op.results:
        return None
    outputs = {o.value: o for o in contraction.outputs}
    dims = _dims_of_consumer(op, accesses, outputs)
    if dims is None:
        return None
    arguments: dict[int, Expression] = {}
    for n, (value, access) in enumerate(zip(op.operands, accesses, strict=True)):
        load = Load(value, substitute(access, dims.__getitem__))
        arguments[n] = outputs[value].element if value in outputs else load
    try:
        elements = expressions_of_body(op.regions[0].blocks[0], arguments)
    except NotElementwise:
        return None
    access = substitute(accesses[-1], dims.__getitem__)
    return _with_consumer(
        contraction,
        op,
        *(
            Output(element, access, result)
            for element, result in zip(elements, op.results, strict=True)
        ),
    )


def _dims_of_consumer(
    op: ir.Operation, accesses: list[Access], outputs: dict[ir.Value, Output]
) -> dict[int, Linear] | None:
    """The consumer's dimensions in those of the product.

    None where it broadcasts the product, or reads its values at different indices.
    """
    dims: dict[int, Linear] = {}
    for value, access in zip(op.operands, accesses, strict=True):
        if value not in outputs:
            continue
        for form, index in zip(access, outputs[value].access, strict=True):
            dim = form.plain_dim
            if dim is None:
                if form != Linear() or index != Linear():
                    return None
            elif dims.setdefault(dim, index) != index:
                return None
    return dims if len(dims) == len(accesses[-1]) else None


def _fold_reshape(contraction: Contraction, op: ir.Operation) -> Contraction | None:
    output = next(o for o in contraction.outputs if o.value == op.operands[0])
    groups = reassociation(op)
    if op.name == "tensor.collapse_shape":
        access = collapsed_access(output.access, static_shape(op.operands[0]), groups)
    else:
        shape = static_shape(op.results[0])
        access = expanded_access(contraction, output.access, shape, groups)
    if isinstance(access, Contraction) or access is None:
        return access
    result = replace(output, access=access, value=op.results[0])
    return _with_consumer(contraction, op, result)


def _with_consumer(
    contraction: Contraction, op: ir.Operation, *outputs: Output
) -> Contraction:
    return replace(
        contraction,
        outputs=(*contraction.outputs, *outputs),
        consumed=(*contraction.consumed, op),
    )


def _live(contraction: Contraction) -> Contraction:
    """With the outputs alone that someone else reads."""
    outputs = tuple(
        o
        for o in contraction.outputs
        if any(u.owner.operation not in contraction.consumed for u in o.value.uses)
    )
    return replace(contraction, outputs=outputs)


def _is_one_result(contraction: Contraction) -> bool:
    """One output, or an output and casts of it."""
    elements = contraction.elements
    sources = {id(_without_casts(e)) for e in elements}
    return len(elements) > 0 and len(sources) == 1


def _without_casts(node: Expression) -> Expression:
    while isinstance(node, Apply) and node.name in _CASTS:
        node = node.operands[0]
    return node


def _stores_well(contraction: Contraction) -> bool:
    """Whether neighbors in n stay neighbors in memory.

    A transposition that scatters them is left to its reader, which loads the
    transposed operand at no cost where it is another product.
    """
    columns = contraction.dims_of_kind(N)
    if all(contraction.dims[d].size == 1 for d in columns):
        return True
    return all(fastest_dim(o.access) in columns for o in contraction.outputs)


def _is_placeable(contraction: Contraction) -> bool:
    """Whether nobody reads an output before the last consumer's place."""
    last = contraction.consumed[-1]
    return not any(_is_before(_ancestor(u, last), last) for u in _users(contraction))


def _users(contraction: Contraction) -> Iterator[ir.Operation]:
    for output in contraction.outputs:
        for use in output.value.uses:
            if use.owner.operation not in contraction.consumed:
                yield use.owner.operation


def _ancestor(op: ir.Operation, sibling: ir.Operation) -> ir.Operation:
    """The operation around `op` that stands in the block of `sibling`."""
    while op.block != sibling.block:
        op = op.parent.operation
    return op
