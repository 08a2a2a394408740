# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes a `gemm.matmul` valid, types and regions included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from iree.compiler import ir

from .indexing import extents, kinds
from .linear import access_of_map
from .spelling import INDEXED, LOOKUP, LOOPS, OFFSET, SEGMENTS

if TYPE_CHECKING:
    from .gemm import MatmulOp

_ITERATORS = {*LOOPS, OFFSET, LOOKUP}
_REGIONS = ("lhs", "rhs", "epilogue", "original")
_LISTS = {
    "iterators": (ir.StringAttr, "strings"),
    "indexing_maps": (ir.AffineMapAttr, "affine maps"),
    "cases": (ir.DictAttr, "dictionaries"),
}
_KINDS = {
    "bounds": (ir.DenseI64ArrayAttr, "an array of i64"),
    "operandSegmentSizes": (ir.DenseI32ArrayAttr, "an array of i32"),
    "upper_bounds": (ir.DenseI64ArrayAttr, "an array of i64"),
    "strategy": (ir.StringAttr, "a string"),
    "reason": (ir.StringAttr, "a string"),
    "stop": (ir.StringAttr, "a string"),
    "config": (ir.DictAttr, "a dictionary"),
    "passed_over": (ir.DictAttr, "a dictionary"),
}
_NEEDED = ("iterators", "bounds", "indexing_maps", "operandSegmentSizes")


def problems_of(op: MatmulOp) -> list[str]:
    """What is wrong with a product; empty where it is valid."""
    stages = (
        (_attributes, _lists, _form),
        (_counts, _single_indices, _indices, _bodies, _results),
        (kinds, extents),
    )
    for checks in stages:
        if problems := [problem for check in checks for problem in check(op)]:
            return problems
    return []


def _attributes(op: MatmulOp) -> Iterator[str]:
    """What would keep attributes from being read."""
    for name in _NEEDED:
        if name not in op.attributes:
            yield f"the attribute {name} is missing"
    for name, (kind, text) in _KINDS.items():
        if name in op.attributes and not isinstance(op.attributes[name], kind):
            yield f"the attribute {name} is not {text}"


def _lists(op: MatmulOp) -> Iterator[str]:
    """What would keep the items of lists from being read."""
    for name, (kind, text) in _LISTS.items():
        listed = op.attributes.get(name)
        if listed is None:
            continue
        if not isinstance(listed, ir.ArrayAttr):
            yield f"the attribute {name} is not an array"
        elif not all(isinstance(item, kind) for item in listed):
            yield f"the attribute {name} holds other things than {text}"


def _form(op: MatmulOp) -> Iterator[str]:
    """What would keep operands and regions from being read."""
    counts = op.attributes.get("operandSegmentSizes")
    is_list = isinstance(counts, ir.DenseI32ArrayAttr)
    if is_list and (len(counts) != len(SEGMENTS) or sum(counts) != len(op.operands)):
        yield f"operandSegmentSizes does not count {', '.join(SEGMENTS)}"
    if len(op.regions) != len(_REGIONS):
        yield f"the regions {', '.join(_REGIONS)} are needed"
    for name, region in zip(_REGIONS, op.regions, strict=False):
        if len(region.blocks) != 1 or not len(region.blocks[0].operations):
            yield f"the {name} region needs one block that ends in a yield"


def _counts(op: MatmulOp) -> Iterator[str]:
    if len(op.bounds) != len(op.iterators):
        yield "bounds and iterators differ in number"
    if len(op.upper_bounds) != len(op.iterators):
        yield "upper_bounds and iterators differ in number"
    if len(op.sizes) != op.bounds.count(None):
        yield "each dynamic bound needs one size operand"
    if any(bound is not None and bound < 0 for bound in op.bounds):
        yield "a bound is negative"
    if unknown := set(op.iterators) - _ITERATORS:
        yield f"unknown iterators {sorted(unknown)}"


def _single_indices(op: MatmulOp) -> Iterator[str]:
    """Of the iterators that are no loops."""
    bounds = [*zip(op.iterators, op.bounds, strict=False)]
    if any(kind == OFFSET and bound is not None for kind, bound in bounds):
        yield "an offset has no static bound: its index is a size operand"
    if any(kind == LOOKUP and bound != 1 for kind, bound in bounds):
        yield "the bound of a lookup is 1"
    if len(op.lookups) != op.iterators.count(LOOKUP):
        yield "each lookup needs one operand"
    if any(str(_element(v)) != "i32" for v in op.lookups):
        yield "lookups are elements of i32"
    for _, map_ in op.indexed("lookups"):
        if not all(isinstance(e, ir.AffineConstantExpr) for e in map_.results):
            yield f"a lookup is at a fixed place, not {map_}"


def _indices(op: MatmulOp) -> Iterator[str]:
    values = [value for group in INDEXED for value in getattr(op, group)]
    if len(op.maps) != len(values):
        yield f"{len(values)} indexing maps are needed, {len(op.maps)} given"
    if any(m.n_dims != len(op.iterators) for m in op.maps):
        yield "the indexing maps range over another number of dimensions"
    for map_, value in zip(op.maps, values, strict=False):
        if len(map_.results) != _rank(value):
            yield f"the map {map_} does not index a value of type {value.type}"
        if access_of_map(map_) is None:
            yield f"the map {map_} is not linear"


def _bodies(op: MatmulOp) -> Iterator[str]:
    sides = (("lhs", op.lhs, op.lhs_block), ("rhs", op.rhs, op.rhs_block))
    for name, values, block in sides:
        if _types(block.arguments) != list(map(_element, values)):
            yield f"the {name} region takes one element of each {name} operand"
        if len(_yielded(block)) != 1:
            yield f"the {name} region yields one value"


def _results(op: MatmulOp) -> Iterator[str]:
    taken = _types(op.epilogue_block.arguments)
    if not taken or taken[1:] != list(map(_element, op.extras)):
        yield "the epilogue takes the sum and one element of each extra"
    if _yielded(op.epilogue_block) != list(map(_element, op.results)):
        yield "the epilogue yields one element of each result"
    if _yielded(op.original_block) != _types(op.results):
        yield "the original operations yield the results"


def _types(values: Iterable[ir.Value]) -> list[ir.Type]:
    return [v.type for v in values]


def _yielded(block: ir.Block) -> list[ir.Type]:
    *_, terminator = block.operations
    return _types(terminator.operands)


def _element(value: ir.Value) -> ir.Type:
    is_tensor = isinstance(value.type, ir.RankedTensorType)
    return value.type.element_type if is_tensor else value.type


def _rank(value: ir.Value) -> int:
    return value.type.rank if isinstance(value.type, ir.RankedTensorType) else 0
