# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices that elements of tensors decide, as a router's choice of an expert.

The kernel reads such an index. Where the host reads it, the device has to wait: a layer
of experts on an H200 takes 1482 us then, instead of 27 (2026-11-30, 1x4096x4096 in f16,
benchmarks/results/2026-11-30-h200-experts).
"""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir
from iree.compiler.dialects import arith, linalg, tensor

from .expression import (
    Apply,
    Expression,
    Load,
    apply_like,
    build,
    is_elementwise,
    loads_of,
)
from .linear import Linear
from .shapes import static_shape
from .values import constant_index, producer_of

_READ = "tensor.extract"
_CASTS = ("arith.index_cast", "arith.index_castui")


def lookup_of(index: ir.Value) -> Expression | None:
    """An index over elements at fixed places; None where it depends on others."""
    nodes: dict[ir.Value, Expression] = {}
    stack = [index]
    while stack:
        op = producer_of(stack[-1])
        if op is None:
            return None
        operands = [] if op.name == _READ else list(op.operands)
        missing = [value for value in operands if value not in nodes]
        if missing:
            stack += missing
            continue
        node = _node(op, [nodes[value] for value in operands])
        if node is None:
            return None
        nodes[stack.pop()] = node
    lookup = nodes[index]
    return lookup if any(loads_of((lookup,))) else None


def _node(op: ir.Operation, operands: Sequence[Expression]) -> Expression | None:
    if is_elementwise(op):
        return apply_like(op, operands)
    if op.name != _READ or None in static_shape(op.operands[0]):
        return None
    source, *places = op.operands
    numbers = [constant_index(place) for place in places]
    if None in numbers:
        return None
    return Load(source, tuple(Linear(constant=n) for n in numbers if n is not None))


def load_of_lookup(lookup: Expression) -> Load:
    """The load of an index as i32.

    Where it is not an element as it lies, an operation that computes it is made at the
    insertion point; IREE fuses that with what computes the elements.
    """
    if isinstance(lookup, Apply) and lookup.name in _CASTS:
        (node,) = lookup.operands
        if isinstance(node, Load) and str(node.type) == "i32":
            return node
    return Load(_computed(lookup), ())


def _computed(lookup: Expression) -> ir.Value:
    """A tensor of rank 0 that holds the index."""
    i32, loads = ir.IntegerType.get_signless(32), [*loads_of((lookup,))]
    inputs = [_scalar_tensor(load) for load in loads]
    empty = tensor.empty([], i32)
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
    types = [*(load.type for load in loads), i32]
    locations = [ir.Location.current] * len(types)
    block = op.regions[0].blocks.append(*types, arg_locs=locations)
    with ir.InsertionPoint(block):
        leaves: dict[Expression, ir.Value] = {}
        leaves.update(zip(loads, block.arguments, strict=False))
        (index,) = build([lookup], leaves.__getitem__)
        linalg.yield_([arith.index_cast(i32, index)])
    return op.result


def _scalar_tensor(load: Load) -> ir.Value:
    """A tensor of rank 0 with the element that a load at a fixed place reads."""
    if not load.access:
        return load.value
    ones = [1] * len(load.access)
    places = [form.constant for form in load.access]
    type_ = ir.RankedTensorType.get([], load.type)
    return tensor.ExtractSliceOp(
        type_, load.value, [], [], [], places, ones, ones
    ).result
