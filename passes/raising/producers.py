# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds what computes an operand into the load of it, one rewrite a producer.

Every rewrite takes a load and returns a changed contraction, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, Linear

from .contraction import Contraction, HostIndex, LookupIndex
from .expression import Apply, Expression, Load, loads_of, walk
from .lookups import lookup_of
from .shapes import collapsed_access, expanded_access, reassociation, static_shape
from .simplify import simplified
from .structured import elementwise_results
from .types import unsupported_type
from .values import constant_index, is_on_host, producer_of

# What a weight is decoded with. Anything dearer would be computed again for every
# tile that reads the element, and its own dispatch is the better place.
_DECODING_OPS = frozenset(
    f"arith.{name}"
    for name in (
        *("constant", "extf", "extsi", "extui", "sitofp", "uitofp", "truncf", "trunci"),
        *("subf", "subi", "mulf", "muli", "addf", "addi"),
        *("shrui", "shrsi", "shli", "andi", "ori", "bitcast"),
    )
)
_CASTS = ("arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp")


def fold_producers(contraction: Contraction) -> Contraction:
    """Applies the rewrites until none changes anything."""
    while True:
        for load in contraction.loads():
            changed = _fold_one(contraction, load)
            if changed is not None:
                contraction = simplified(changed)
                break
        else:
            return contraction


def _fold_one(contraction: Contraction, load: Load) -> Contraction | None:
    op = producer_of(load.value)
    if op is None:
        return None
    for rewrite in _REWRITES:
        changed = rewrite(contraction, load, op)
        if changed is not None and _has_operands(changed):
            return changed
    return None


def _has_operands(contraction: Contraction) -> bool:
    """Whether both sides still read something: a kernel loads its operands."""
    sides = (contraction.lhs, contraction.rhs)
    return all(any(loads_of((side,))) for side in sides)


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
    if op.name == "linalg.fill" and op.operands[0].type == load.type:
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
    if not _is_cheap_to_repeat(node) or _is_worse(node, load):
        return None
    return contraction.replace_load(load, node)


def _is_worse(node: Expression, load: Load) -> bool:
    """Whether it holds types that kernels have not, and the load has not."""
    return not unsupported_type((load,)) and bool(unsupported_type((node,)))


def fold_cast(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    """A cast that only forgets sizes, or names them."""
    if op.name == "flow.tensor.tie_shape":
        return contraction.replace_load(load, Load(op.operands[0], load.access))
    if op.name != "tensor.cast":
        return None
    known = zip(static_shape(op.operands[0]), static_shape(load.value), strict=True)
    if any(source is None and result is not None for source, result in known):
        return None
    return contraction.replace_load(load, Load(op.operands[0], load.access))


def fold_extract(
    contraction: Contraction, load: Load, op: ir.Operation
) -> Contraction | None:
    """A scalar from a tensor is read in the kernel: the host need not wait for it."""
    if op.name != "tensor.extract":
        return None
    source, *indices = op.operands
    if unsupported_type((Load(source, ()),)) or None in static_shape(source):
        return None
    found = _with_indices(contraction, indices)
    if found is None:
        return None
    contraction, access = found
    return contraction.replace_load(load, Load(source, access))


def _with_indices(
    contraction: Contraction, indices: Sequence[int | ir.Value]
) -> tuple[Contraction, Access] | None:
    """Their forms, with a dimension for each that only the run knows."""
    access = []
    for index in indices:
        source = index if isinstance(index, int) else _source_of(index)
        if source is None:
            return None
        if isinstance(source, int):
            access.append(Linear(constant=source))
        else:
            contraction, form = contraction.with_index(source)
            access.append(form)
    return contraction, tuple(access)


def _source_of(index: ir.Value) -> int | HostIndex | LookupIndex | None:
    """A number, what a kernel can read, or what the host has without waiting."""
    number = constant_index(index)
    if number is not None:
        return number
    if (lookup := lookup_of(index)) is not None:
        return LookupIndex(index, lookup)
    return HostIndex(index) if is_on_host(index) else None


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
    """A slice of a tensor whose inner sizes are static."""
    if op.name != "tensor.extract_slice":
        return None
    source, *dynamic = op.operands
    strides, sizes = _integers(op, "static_strides"), static_shape(source)
    offsets = _slice_offsets(op, dynamic)
    if ir.ShapedType.get_dynamic_size() in strides or None in sizes[1:]:
        return None
    if sizes[:1] == [None] and offsets[0] != 0:
        return None
    kept, found = _kept_axes(op, load.access), _with_indices(contraction, offsets)
    if kept is None or found is None:
        return None
    contraction, starts = found
    access = tuple(
        index * stride + start
        for index, start, stride in zip(kept, starts, strides, strict=True)
    )
    return contraction.replace_load(load, Load(source, access))


def awaited_slice(contraction: Contraction) -> str | None:
    """Which operand the host could place only after the device has computed.

    IREE reads the slice in its own product's dispatch. As a dispatch before ours it
    would go wrong from the second call on, and after a later change of its source in
    place: faults of IREE 3.13 that need no plugin.
    """
    for load in contraction.loads():
        op = producer_of(load.value)
        if op is None or op.name != "tensor.extract_slice":
            continue
        sources, offsets, sizes, _ = op.attributes["operandSegmentSizes"]
        operands = list(op.operands)[sources:]
        placing = operands[:offsets] + operands[offsets + sizes :]
        if not all(map(is_on_host, placing)):
            return "a slice of an operand is at a place that the host may wait for"
    return None


def _slice_offsets(
    op: ir.Operation, dynamic: Sequence[ir.Value]
) -> list[int | ir.Value]:
    values, unknown = iter(dynamic), ir.ShapedType.get_dynamic_size()
    offsets = _integers(op, "static_offsets")
    return [next(values) if offset == unknown else offset for offset in offsets]


_REWRITES: tuple[
    Callable[[Contraction, Load, ir.Operation], Contraction | None], ...
] = (
    fold_constant,
    fold_extract,
    fold_cast,
    fold_expand_shape,
    fold_collapse_shape,
    fold_extract_slice,
    fold_elementwise,
)


def _is_cheap_to_repeat(node: Expression) -> bool:
    """Layout alone, or decoding of narrow elements that starts with a cast."""
    operations = [n for n in walk((node,)) if isinstance(n, Apply)]
    names = {n.name for n in operations}
    if not names - {"arith.constant"}:
        return True
    return names <= _DECODING_OPS and not names.isdisjoint(_CASTS)


def _kept_axes(op: ir.Operation, access: Access) -> Access | None:
    """The access with the axes put back that a rank-reducing slice dropped."""
    kept = iter([*zip(access, static_shape(op.result), strict=True), (None, None)])
    index, size = next(kept)
    result = []
    for taken in _integers(op, "static_sizes"):
        if index is not None and (taken == size or taken != 1):
            result.append(index)
            index, size = next(kept)
        else:
            result.append(Linear())
    return tuple(result) if index is None else None


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
