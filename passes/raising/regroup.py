# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Undoes what models do around a product of matrices with rows in two dimensions.

Batch and sequence, both known at run time alone, are collapsed into the rows of an
operand and expanded again in the result. Indices cannot say that, as a size would
scale one; the product over both dimensions can.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, Linear, dims_of, substitute

from .bounds import size_operand
from .contraction import Contraction, Dimension, DynamicSize, Output, Size
from .expression import Expression, Load
from .shapes import reassociation, static_shape
from .values import constant_index, producer_of


def regrouped(
    contraction: Contraction, output: Output, op: ir.Operation
) -> Contraction | None:
    """The product over the dimensions to which `op` expands one of its result.

    None where some operand was not collapsed from the same ones.
    """
    axis = _only_group(op)
    dim = None if axis is None else output.access[axis].plain_dim
    if axis is None or dim is None or not _is_only_reader(contraction, op):
        return None
    group = reassociation(op)[axis]
    wanted = [_key(op.results[0], n) for n in group]
    sources: dict[Load, tuple[ir.Value, int]] = {}
    for load in contraction.loads():
        if dim not in dims_of(load.access):
            continue
        source = _uncollapsed(load, dim, wanted)
        if source is None:
            return None
        sources[load] = source
    if not sources:
        return None
    return _over_parts(contraction, output, op, (dim, axis, sources))


def _over_parts(
    contraction: Contraction,
    output: Output,
    op: ir.Operation,
    split: tuple[int, int, dict[Load, tuple[ir.Value, int]]],
) -> Contraction:
    dim, axis, sources = split
    count = len(reassociation(op)[axis])
    parts = tuple(Linear.dim(dim + n) for n in range(count))

    def image(d: int) -> Linear:
        return Linear.dim(d if d < dim else d + count - 1)

    def spread(access: Access, place: int) -> Access:
        """The access with the parts in place of the dimension."""
        before = substitute(access[:place], image)
        return (*before, *parts, *substitute(access[place + 1 :], image))

    def change(node: Expression) -> Expression:
        if not isinstance(node, Load):
            return node
        if node in sources:
            source, place = sources[node]
            return Load(source, spread(node.access, place))
        return replace(node, access=substitute(node.access, image))

    source, place = next(iter(sources.values()))
    kind = contraction.dims[dim].kind
    inner = [Dimension(kind, _size(source, place + n)) for n in range(count)]
    dims = (*contraction.dims[:dim], *inner, *contraction.dims[dim + 1 :])
    result = replace(output, access=spread(output.access, axis), value=op.results[0])
    one = replace(contraction, outputs=(replace(result, element=output.element),))
    changed = one.map_nodes(change)
    return replace(changed, dims=dims, consumed=(*contraction.consumed, op))


def _only_group(op: ir.Operation) -> int | None:
    """The group of an expand_shape that splits, where it is the only one."""
    if op.name != "tensor.expand_shape":
        return None
    groups = reassociation(op)
    splitting = [n for n, group in enumerate(groups) if len(group) > 1]
    return splitting[0] if len(splitting) == 1 else None


def _is_only_reader(contraction: Contraction, op: ir.Operation) -> bool:
    """Whether nobody else reads a result, whose index would need the dimension."""
    return all(
        use.owner.operation in (*contraction.consumed, op)
        for output in contraction.outputs
        for use in output.value.uses
    )


def _uncollapsed(
    load: Load, dim: int, wanted: list[Any]
) -> tuple[ir.Value, int] | None:
    """What a load's tensor was collapsed from, and where that has the wanted sizes."""
    op = producer_of(load.value)
    if op is None or op.name != "tensor.collapse_shape" or load.view is not None:
        return None
    axes = [n for n, form in enumerate(load.access) if dim in form.dims]
    groups = reassociation(op)
    if len(axes) != 1 or load.access[axes[0]].plain_dim != dim:
        return None
    if any(len(g) > 1 for n, g in enumerate(groups) if n != axes[0]):
        return None
    sizes = [_key(op.operands[0], n) for n in groups[axes[0]]]
    return (op.operands[0], axes[0]) if sizes == wanted else None


def _size(value: ir.Value, axis: int) -> Size:
    static = static_shape(value)[axis]
    return DynamicSize(value, axis) if static is None else static


def _key(value: ir.Value, axis: int) -> Any:
    """What is equal for sizes that are known to be equal."""
    static = static_shape(value)[axis]
    if static is not None:
        return static
    index = size_operand(value, axis)
    return (value, axis) if index is None else _key_of_index(index)


def _key_of_index(index: ir.Value) -> Any:
    op = producer_of(index)
    if op is not None and op.name == "util.assume.int":
        return _key_of_index(op.operands[list(op.results).index(index)])
    if op is not None and op.name == "tensor.dim":
        number = constant_index(op.operands[1])
        if number is not None:
            return _key(op.operands[0], number)
    return index
