# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds the operations that follow a product into its outputs.

Consumers are taken in block order, all of an elementwise graph: gelu reads the
biased product twice. The longest prefix wins after which one value is left that
others read, or several that are casts of one another. The first reader that does
not fold ends the search, since the product has to stand before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, Linear, substitute

from .contraction import Contraction, M, N, Output
from .expression import (
    Apply,
    Expression,
    Load,
    NotElementwise,
    transform,
    walk,
)
from .regroup import regrouped
from .shapes import collapsed_access, expanded_access, reassociation, static_shape
from .simplify import simplified
from .storage import low_half
from .structured import elements_of, elementwise_accesses
from .types import STORED, unsupported_type

_CASTS = ("arith.truncf", "arith.extf")
# IREE passes at most 32 buffers to a dispatch; the operands need some of them.
_MOST_BUFFERS = 16
# Kernels repeat the epilogue for every output that an invocation holds.
_MOST_OPERATIONS = 128


@dataclass(frozen=True)
class Folded:
    """A product with its consumers, and why the next reader is not one of them."""

    contraction: Contraction
    stop: str


class _Stop(Exception):
    """Why a reader does not fold."""


def fold_consumers(contraction: Contraction) -> Folded:
    """The product with as many consumers as leave it one pass over its result."""
    best, stop = contraction, ""
    current, readers = contraction, _readers(contraction)
    while readers:
        user = readers.pop(0)
        try:
            current = _fold_whole(current, user)
        except _Stop as reason:
            return Folded(best, stop or str(reason))
        readers = _with_readers_of(user, readers, current)
        live = _live(current)
        stop = _problem(live) or _loss(best, live)
        if not stop:
            best = live
    return Folded(best, stop)


def fastest_dim(contraction: Contraction, access: Access) -> int | None:
    """The dimension whose steps are shortest in memory."""
    for form in reversed(access):
        terms = [(c, d) for d, c in form.terms if contraction.dims[d].size != 1]
        if terms:
            return min(terms)[1]
    return None


def _readers(contraction: Contraction) -> list[ir.Operation]:
    return _with_readers_of(contraction.root, [], contraction)


def _with_readers_of(
    op: ir.Operation, readers: list[ir.Operation], contraction: Contraction
) -> list[ir.Operation]:
    """The readers with those of the op's results, in block order.

    A reader in a nested region stands for the operation around it. Those in other
    blocks come later in any case.
    """
    block = contraction.root.block
    for result in op.results:
        for use in result.uses:
            user = _ancestor(use.owner.operation, block)
            if user is None or user in readers:
                continue
            position = sum(r.is_before_in_block(user) for r in readers)
            readers.insert(position, user)
    return readers


def _ancestor(op: ir.Operation, block: ir.Block) -> ir.Operation | None:
    """The operation around `op`, or itself, that stands in a block."""
    while op.block != block:
        op = op.parent.operation
        if op == block.owner.operation:
            return None
    return op


def _fold_whole(contraction: Contraction, op: ir.Operation) -> Contraction:
    """The consumer folded, after the splits that this takes. Raises _Stop."""
    while op not in contraction.consumed:
        if op.name in ("tensor.expand_shape", "tensor.collapse_shape"):
            contraction = _fold_reshape(contraction, op)
        else:
            contraction = _fold_elementwise(contraction, op)
    return contraction


def _fold_elementwise(contraction: Contraction, op: ir.Operation) -> Contraction:
    accesses = elementwise_accesses(op)
    if accesses is None or not op.results:
        raise _Stop(_kind_of_reader(op))
    outputs = {o.value: o for o in contraction.outputs}
    dims = _dims_of_consumer(op, accesses, outputs)
    if dims is None:
        raise _Stop(f"{op.name} reads it at other indices")
    operands = [
        outputs[value].element
        if value in outputs
        else Load(value, substitute(access, dims.__getitem__))
        for value, access in zip(op.operands, accesses, strict=False)
    ]
    try:
        elements = elements_of(op, operands)
    except NotElementwise as error:
        raise _Stop(str(error)) from None
    access = substitute(accesses[-1], dims.__getitem__)
    return _with_consumer(
        contraction,
        op,
        *(
            Output(element, access, result)
            for element, result in zip(elements, op.results, strict=True)
        ),
    )


def _kind_of_reader(op: ir.Operation) -> str:
    if op.name.endswith((".return", ".yield", "tensor.export", "tensor.barrier")):
        return "end of the function"
    if op.name.startswith("linalg."):
        return (
            "a reduction" if op.name in ("linalg.generic", "linalg.reduce") else op.name
        )
    return op.name


def _dims_of_consumer(
    op: ir.Operation, accesses: list[Access], outputs: dict[ir.Value, Output]
) -> dict[int, Linear] | None:
    """The consumer's dimensions in those of the product.

    None where it broadcasts the product, or reads its values at different indices.
    """
    dims: dict[int, Linear] = {}
    for value, access in zip(op.operands, accesses, strict=False):
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


def _fold_reshape(contraction: Contraction, op: ir.Operation) -> Contraction:
    output = next((o for o in contraction.outputs if o.value == op.operands[0]), None)
    if output is None:
        raise _Stop(op.name)
    access = _reshaped(contraction, output.access, op)
    if isinstance(access, Contraction):
        return access
    if access is None:
        if (changed := regrouped(contraction, output, op)) is not None:
            return changed
        raise _Stop(f"{op.name} of sizes known only at run time")
    result = replace(output, access=access, value=op.results[0])
    return _with_consumer(contraction, op, result)


def _reshaped(
    contraction: Contraction, access: Access, op: ir.Operation
) -> Access | Contraction | None:
    groups = reassociation(op)
    if op.name == "tensor.collapse_shape":
        return collapsed_access(access, static_shape(op.operands[0]), groups)
    shape = static_shape(op.results[0])
    return expanded_access(contraction, access, shape, groups)


def _with_consumer(
    contraction: Contraction, op: ir.Operation, *outputs: Output
) -> Contraction:
    return simplified(
        replace(
            contraction,
            outputs=(*contraction.outputs, *outputs),
            consumed=(*contraction.consumed, op),
        )
    )


def _live(contraction: Contraction) -> Contraction:
    """With the outputs alone that someone else reads."""
    outputs = tuple(
        o
        for o in contraction.outputs
        if any(u.owner.operation not in contraction.consumed for u in o.value.uses)
    )
    return replace(contraction, outputs=outputs)


def _problem(contraction: Contraction) -> str:
    """Why the product cannot end here; empty where it can."""
    if not _is_one_result(contraction):
        return "several values of the chain are read"
    if len({id(e) for e in contraction.elements}) < len(contraction.elements):
        return "two shapes of one value are read"
    if reason := unsupported_type(transform(contraction.elements, low_half)):
        return reason
    if any(str(e.type) not in STORED for e in contraction.elements):
        return "a value that a kernel cannot write"
    if len({load.value for load in contraction.loads()}) > _MOST_BUFFERS:
        return "too many operands"
    if sum(1 for _ in walk(contraction.elements)) > _MOST_OPERATIONS:
        return "a long chain of operations"
    return ""


def _loss(before: Contraction, after: Contraction) -> str:
    """What would be worse after a fold that is possible."""
    if _stores_well(after) or not _stores_well(before) or _problem(before):
        return ""
    return "a transposition that scatters neighbors"


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
    transposed operand at no cost where it is another product. Where none is, the
    product itself is transposed.
    """
    columns = contraction.dims_of_kind(N)
    if all(contraction.dims[d].size == 1 for d in columns):
        return True
    fastest = {fastest_dim(contraction, o.access) for o in contraction.outputs}
    if fastest <= contraction.dims_of_kind(M):
        return not any(map(_may_transpose, _live_readers(contraction)))
    return fastest <= columns


def _live_readers(contraction: Contraction) -> Iterator[ir.Operation]:
    for output in contraction.outputs:
        for use in output.value.uses:
            if use.owner.operation not in contraction.consumed:
                yield use.owner.operation


def _may_transpose(reader: ir.Operation) -> bool:
    return reader.name.startswith(("linalg.", "tensor.", "gemm."))
