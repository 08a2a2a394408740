# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise expressions over tensor loads and the accumulator of a product.

Folding works on these immutable trees; the IR is built once, from the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from iree.compiler import ir

from .linear import Access


@dataclass(frozen=True, eq=False)
class Load:
    """One element of a tensor, or a scalar where the access has no results."""

    value: ir.Value
    access: Access

    @property
    def type(self) -> ir.Type:
        return element_type(self.value)


@dataclass(frozen=True, eq=False)
class Accumulator:
    """The sum of products."""

    type: ir.Type


@dataclass(frozen=True, eq=False)
class Apply:
    """A single-result operation without regions on the values of its operands."""

    name: str
    operands: tuple[Expression, ...]
    attributes: Mapping[str, ir.Attribute]
    type: ir.Type


Expression = Load | Accumulator | Apply


class NotElementwise(Exception):
    """A body holds an operation that has no value for one element alone."""


def element_type(value: ir.Value) -> ir.Type:
    if isinstance(value.type, ir.RankedTensorType):
        return value.type.element_type
    return value.type


def constant(type_: ir.Type, value: float) -> Apply:
    if isinstance(type_, ir.IntegerType):
        attribute = ir.IntegerAttr.get(type_, int(value))
    else:
        attribute = ir.FloatAttr.get(type_, value)
    return Apply("arith.constant", (), {"value": attribute}, type_)


def apply(name: str, operands: Sequence[Expression], type_: ir.Type) -> Apply:
    return Apply(name, tuple(operands), {}, type_)


def is_constant(node: Expression, number: float) -> bool:
    if not isinstance(node, Apply) or node.name != "arith.constant":
        return False
    return float(node.attributes["value"].value) == number


def expressions_of_body(
    block: ir.Block, arguments: Mapping[int, Expression]
) -> list[Expression]:
    """The values that a structured op's body yields.

    `arguments` gives the block arguments by number. Scalars from outside the body
    become loads without indices. Raises NotElementwise.
    """
    values: dict[ir.Value, Expression] = {
        block.arguments[n]: node for n, node in arguments.items()
    }

    def lookup(value: ir.Value) -> Expression:
        if value in values:
            return values[value]
        if isinstance(value, ir.BlockArgument) and value.owner == block:
            raise NotElementwise("the body reads an operand that is not available")
        node = _outer_value(value)
        values[value] = node
        return node

    *body, terminator = (view.operation for view in block.operations)
    for op in body:
        if not is_elementwise(op):
            raise NotElementwise(f"{op.name} is not elementwise")
        operands = tuple(lookup(v) for v in op.operands)
        values[op.result] = _copy_of(op, operands)
    return [lookup(v) for v in terminator.operands]


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an operation may stand in a region of `gemm.matmul`."""
    dialect, _, _ = op.name.partition(".")
    return dialect in ("arith", "math") and len(op.results) == 1 and not op.regions


def loads_of(nodes: Sequence[Expression]) -> Iterator[Load]:
    """Every load once, depth first."""
    return (node for node in walk(nodes) if isinstance(node, Load))


def walk(nodes: Sequence[Expression]) -> Iterator[Expression]:
    seen: set[int] = set()
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, Apply):
            stack.extend(reversed(node.operands))


def rewrite(
    node: Expression, leaf: Callable[[Load | Accumulator], Expression]
) -> Expression:
    """The expression with every leaf replaced; shared nodes stay shared."""
    memo: dict[int, Expression] = {}

    def visit(node: Expression) -> Expression:
        if id(node) not in memo:
            if isinstance(node, Apply):
                operands = tuple(visit(o) for o in node.operands)
                memo[id(node)] = Apply(node.name, operands, node.attributes, node.type)
            else:
                memo[id(node)] = leaf(node)
        return memo[id(node)]

    return visit(node)


def _outer_value(value: ir.Value) -> Expression:
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView):
        op = owner.operation
        if op.name == "arith.constant":
            return _copy_of(op, ())
    return Load(value, ())


def _copy_of(op: ir.Operation, operands: tuple[Expression, ...]) -> Apply:
    attributes = {name: op.attributes[name] for name in op.attributes}
    return Apply(op.name, operands, attributes, op.result.type)
