# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds what computes an operand into the load of it, one rewrite a producer.

Every rewrite takes a load and returns a changed contraction, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iree.compiler import ir
from iree.compiler.dialects import linalg

from .contraction import Contraction
from .expression import (
    Apply,
    Expression,
    Load,
    NotElementwise,
    expressions_of_body,
    walk,
)
from .linear import (
    Access,
    Linear,
    access_of_map,
    linearize,
    split_index,
    substitute,
)

# What a weight is decoded with. Anything dearer would be computed again for every
# tile that reads the element, and its own dispatch is the better place.
_DECODING_OPS = frozenset(
    f"arith.{name}"
    for name in (
        "constant extf extsi extui sitofp uitofp truncf trunci subf subi mulf muli "
        "addf addi shrui shrsi shli andi ori bitcast"
    ).split()
)
_CASTS = ("arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp")


def fold_producers(contraction: Contraction) -> Contraction:
    """Applies the rewrites until none changes anything."""
    while True:
        for load in contraction.loads():
            changed = _fold_one(contraction, load)
            if changed is not None:
                contraction = changed
                break
        else:
            return contraction


def _fold_one(contraction: Contraction, load: Load) -> Contraction | None:
    op = producer_of(load.value)
    if op is None:
        return None
    for rewrite in _REWRITES:
        if (changed := rewrite(contraction, load, op)) is not None:
            return changed
    return None


def producer_of(value: ir.Value) -> ir.Operation | None:
    if isinstance(value, ir.BlockArgument):
        return None
    owner = value.owner
    return owner.operation if isinstance(owner, ir.OpView | ir.Operation) else None


def fold_constant(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    """A splat becomes a constant of the element type."""
    if op.name == "arith.constant":
        value = op.attributes["value"]
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            scalar = value.get_splat_value()
            node = Apply("arith.constant", (), {"value": scalar}, load.type)
            return contraction.replace_load(load, node)
    if op.name == "linalg.fill":
        return contraction.replace_load(load, _scalar(op.operands[0]))
    return None


def fold_elementwise(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    """Transposes, broadcasts, casts and dequantization, named or generic."""
    nodes = elementwise_results(op, load.access)
    if nodes is None:
        return None
    node = nodes[_result_number(op, load.value)]
    if not _is_cheap_to_repeat(node):
        return None
    return contraction.replace_load(load, node)


def fold_expand_shape(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    if op.name != "tensor.expand_shape":
        return None
    shape = static_shape(load.value)
    access = collapsed_access(load.access, shape, reassociation(op))
    if access is None:
        return None
    return contraction.replace_load(load, Load(op.operands[0], access))


def fold_collapse_shape(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    if op.name != "tensor.collapse_shape":
        return None
    source = op.operands[0]
    expanded = expanded_access(
        contraction, load.access, static_shape(source), reassociation(op)
    )
    if isinstance(expanded, Contraction) or expanded is None:
        return expanded
    return contraction.replace_load(load, Load(source, expanded))


def fold_extract_slice(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    """A slice with static offsets of a tensor whose inner sizes are static."""
    if op.name != "tensor.extract_slice":
        return None
    source = op.operands[0]
    offsets = _integers(op, "static_offsets")
    strides = _integers(op, "static_strides")
    sizes = static_shape(source)
    dynamic = ir.ShapedType.get_dynamic_size()
    if dynamic in (*offsets, *strides) or None in sizes[1:]:
        return None
    kept = _kept_axes(op, load.access)
    if kept is None:
        return None
    access = tuple(
        index * stride + Linear(constant=offset)
        for index, offset, stride in zip(kept, offsets, strides, strict=True)
    )
    return contraction.replace_load(load, Load(source, access))


_REWRITES: tuple[
    Callable[[Contraction, Load, ir.Operation], Contraction | None], ...
] = (
    fold_constant,
    fold_expand_shape,
    fold_collapse_shape,
    fold_extract_slice,
    fold_elementwise,
)


def elementwise_results(
    op: ir.Operation, result: Access
) -> list[Expression] | None:
    """What each result of an elementwise op holds at an index of the first one."""
    shape = elementwise_accesses(op)
    if shape is None:
        return None
    dims = _inverse(shape[-1], result)
    if dims is None:
        return None
    loads: dict[int, Expression] = {
        n: Load(value, substitute(access, dims.__getitem__))
        for n, (value, access) in enumerate(zip(op.operands, shape, strict=True))
    }
    try:
        return expressions_of_body(op.regions[0].blocks[0], loads)
    except NotElementwise:
        return None


def elementwise_accesses(op: ir.Operation) -> list[Access] | None:
    """The accesses of a structured op without reductions, results alike."""
    if not op.name.startswith("linalg.") or len(op.regions) != 1:
        return None
    maps = linalg.get_indexing_maps(op)
    if maps is None or len(maps) != len(op.operands):
        return None
    accesses = [access_of_map(m.value) for m in maps]
    if any(a is None for a in accesses):
        return None
    known = [a for a in accesses if a is not None]
    n_dims = maps[0].value.n_dims
    results = known[len(known) - len(op.results) :]
    written = {r.plain_dim for r in results[-1]}
    if any(r != results[-1] for r in results) or written != set(range(n_dims)):
        return None
    return known


def collapsed_access(
    access: Access, shape: Sequence[int | None], groups: list[list[int]]
) -> Access | None:
    """Indices into the collapsed tensor from indices into the expanded one."""
    result = []
    for group in groups:
        form = linearize([access[i] for i in group], [shape[i] for i in group])
        if form is None:
            return None
        result.append(form)
    return tuple(result)


def expanded_access(
    contraction: Contraction,
    access: Access,
    shape: Sequence[int | None],
    groups: list[list[int]],
) -> Access | Contraction | None:
    """Indices into the expanded tensor from indices into the collapsed one.

    Where that needs a dimension in two parts, the contraction with it split.
    """
    result = [Linear()] * len(shape)
    for index, group in zip(access, groups, strict=True):
        inner = [i for i in group if shape[i] != 1]
        while len(inner) > 1:
            axis = inner.pop()
            size = shape[axis]
            if size is None:
                return None
            parts = split_index(index, size, contraction.static_sizes)
            if parts is None:
                dim = index.plain_dim
                return None if dim is None else contraction.split(dim, size)
            index, result[axis] = parts
        if inner:
            result[inner[0]] = index
    return tuple(result)


def static_shape(value: ir.Value) -> list[int | None]:
    type_ = ir.RankedTensorType(value.type)
    return [
        None if type_.is_dynamic_dim(i) else type_.get_dim_size(i)
        for i in range(type_.rank)
    ]


def reassociation(op: ir.Operation) -> list[list[int]]:
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    return [[ir.IntegerAttr(i).value for i in ir.ArrayAttr(g)] for g in groups]


def _is_cheap_to_repeat(node: Expression) -> bool:
    """Layout alone, or decoding of narrow elements that starts with a cast."""
    operations = [n for n in walk((node,)) if isinstance(n, Apply)]
    names = {n.name for n in operations}
    if not names - {"arith.constant"}:
        return True
    return names <= _DECODING_OPS and not names.isdisjoint(_CASTS)


def _inverse(written: Access, result: Access) -> dict[int, Linear] | None:
    dims: dict[int, Linear] = {}
    for form, index in zip(written, result, strict=True):
        dim = form.plain_dim
        if dim is None:
            return None
        dims[dim] = index
    return dims


def _kept_axes(op: ir.Operation, access: Access) -> Access | None:
    """The access with the axes put back that a rank-reducing slice dropped."""
    sizes = _integers(op, "static_sizes")
    if len(sizes) == len(access):
        return access
    if sum(s != 1 for s in sizes) != len(access):
        return None
    indices = iter(access)
    return tuple(Linear() if s == 1 else next(indices) for s in sizes)


def _integers(op: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def _result_number(op: ir.Operation, value: ir.Value) -> int:
    return next(n for n, result in enumerate(op.results) if result == value)


def _scalar(value: ir.Value) -> Expression:
    op = producer_of(value)
    if op is not None and op.name == "arith.constant":
        attributes = {"value": op.attributes["value"]}
        return Apply("arith.constant", (), attributes, value.type)
    return Load(value, ())

