# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices that elements of tensors decide, as a router's choice of an expert.

The kernel reads such an index. Where the host reads it, the device has to wait: a layer
of experts on an H200 takes 1482 us then, instead of 27 (2026-11-30, 1x4096x4096 in f16,
benchmarks/results/2026-11-30-h200-experts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iree.compiler import ir
from iree.compiler.dialects import arith, linalg, tensor

from iree_gemm.dialects.linear import Linear

from .expression import (
    Apply,
    Expression,
    Load,
    apply,
    apply_like,
    build,
    constant,
    is_elementwise,
    loads_of,
)
from .shapes import static_shape
from .values import constant_index, is_on_host, producer_of

_READ = "tensor.extract"
_WIDE = ("i64", "index")
_TYPES = (*_WIDE, "i1", "i8", "i16", "i32", "f32")
# Those that IREE has on devices without 64-bit integers too.
_ON_WIDE = frozenset(
    f"arith.{name}"
    for name in (
        *("addi", "subi", "muli", "maxsi", "maxui", "minsi", "minui"),
        *("cmpi", "select", "index_cast", "index_castui", "extsi", "extui", "trunci"),
    )
)
_EXTENSIONS = {"arith.index_cast": "arith.extsi", "arith.index_castui": "arith.extui"}


def lookup_of(index: ir.Value) -> Expression | None:
    """An index over elements at places that the host knows, and over what it has.

    Loads stand for elements and for values of the host. Values of type index are of
    i64, as they have 64 bits on the host and 32 on devices. None where the index
    depends on anything else, or on no element.
    """
    nodes: dict[ir.Value, Expression] = {}
    stack = [index]
    while stack:
        operands = _operands(stack[-1])
        if operands is None:
            return None
        missing = [value for value in operands if value not in nodes]
        if missing:
            stack += missing
        else:
            value = stack.pop()
            nodes[value] = _node(value, [nodes[operand] for operand in operands])
    lookup = nodes[index]
    return lookup if any(map(_is_element, loads_of((lookup,)))) else None


def _operands(value: ir.Value) -> list[ir.Value] | None:
    """What a value is computed from on the device; None where it cannot be."""
    op = producer_of(value)
    if str(value.type) not in _TYPES:
        return None
    if is_on_host(value):
        return []
    assert op is not None, "arguments are the host's"
    if op.name == _READ:
        is_placed = all(map(is_on_host, list(op.operands)[1:]))
        return [] if is_placed and str(value.type) != "index" else None
    types = {str(v.type) for v in (*op.operands, *op.results)}
    is_wide = not types.isdisjoint(_WIDE)
    if not is_elementwise(op) or (is_wide and op.name not in _ON_WIDE):
        return None
    return list(op.operands)


def _node(value: ir.Value, operands: Sequence[Expression]) -> Expression:
    op = producer_of(value)
    i64 = ir.IntegerType.get_signless(64)
    if op is not None and op.name == "arith.constant":
        is_index = isinstance(value.type, ir.IndexType)
        number = op.attributes["value"].value
        return constant(i64, number) if is_index else apply_like(op, ())
    if op is None or not operands:
        return Load(value, ())
    if op.name in _EXTENSIONS:
        return _cast(op, operands[0])
    node = apply_like(op, operands)
    return replace(node, type=i64) if isinstance(node.type, ir.IndexType) else node


def _cast(op: ir.Operation, source: Expression) -> Expression:
    """A cast from or to index, as one from or to i64."""
    i64 = ir.IntegerType.get_signless(64)
    if isinstance(op.result.type, ir.IndexType):
        is_same = str(op.operands[0].type) == "i64"
        return source if is_same else apply(_EXTENSIONS[op.name], (source,), i64)
    is_same = str(op.result.type) == "i64"
    return source if is_same else apply("arith.trunci", (source,), op.result.type)


def _is_element(load: Load) -> bool:
    op = producer_of(load.value)
    return op is not None and op.name == _READ


def load_of_lookup(lookup: Expression) -> Load:
    """The load of an index as i32.

    Where it is not an element as it lies, an operation that computes it is made at the
    insertion point; IREE fuses that with what computes the elements.
    """
    if isinstance(lookup, Apply) and lookup.name in _EXTENSIONS.values():
        (node,) = lookup.operands
        if isinstance(node, Load) and str(node.type) == "i32" and _is_element(node):
            source, *places = node.value.owner.operands
            numbers = [constant_index(place) for place in places]
            if None not in (*numbers, *static_shape(source)):
                forms = [Linear(constant=n) for n in numbers if n is not None]
                return Load(source, tuple(forms))
    return Load(_computed(lookup), ())


def _computed(lookup: Expression) -> ir.Value:
    """A tensor of rank 0 that holds the index."""
    loads = [*loads_of((lookup,))]
    leaves: dict[Expression, ir.Value] = {
        load: _on_host(load.value) for load in loads if not _is_element(load)
    }
    elements = [load for load in loads if _is_element(load)]
    inputs = [_scalar_tensor(load.value.owner) for load in elements]
    empty = tensor.empty([], ir.IntegerType.get_signless(32))
    maps = [ir.AffineMapAttr.get(ir.AffineMap.get(0, 0, []))] * (len(inputs) + 1)
    op = ir.Operation.create(
        "linalg.generic",
        results=[empty.type],
        operands=[*inputs, empty],
        attributes={
            "indexing_maps": ir.ArrayAttr.get(maps),
            "iterator_types": ir.ArrayAttr.get([]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        },
        regions=1,
    )
    types = [*(load.type for load in elements), empty.type.element_type]
    locations = [ir.Location.current] * len(types)
    block = op.regions[0].blocks.append(*types, arg_locs=locations)
    leaves.update(zip(elements, block.arguments, strict=False))
    with ir.InsertionPoint(block):
        (index,) = build([lookup], leaves.__getitem__)
        linalg.yield_([arith.trunci(empty.type.element_type, index)])
    return op.result


def _on_host(value: ir.Value) -> ir.Value:
    """The value with all the bits that the host has."""
    if not isinstance(value.type, ir.IndexType):
        return value
    return arith.index_cast(ir.IntegerType.get_signless(64), value)


def _scalar_tensor(extract: ir.OpView) -> ir.Value:
    """A tensor of rank 0 with the element that an operation reads."""
    source, *places = extract.operands
    if not places:
        return source
    numbers = [constant_index(place) for place in places]
    dynamic = [p for p, n in zip(places, numbers, strict=True) if n is None]
    unknown, ones = ir.ShapedType.get_dynamic_size(), [1] * len(places)
    static = [unknown if n is None else n for n in numbers]
    type_ = ir.RankedTensorType.get([], extract.result.type)
    return tensor.ExtractSliceOp(
        type_, source, dynamic, [], [], static, ones, ones
    ).result
