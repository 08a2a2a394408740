# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise expressions over tensor loads and the accumulator of a product.

Folding works on these immutable trees; the IR is built once, from the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iree.compiler import ir

from iree_gemm.dialects.linear import Access


@dataclass(frozen=True, eq=False)
class Load:
    """One element of a tensor, or a scalar where the access has no results.

    `value` may be a constant that is not in the IR yet; `view` is the element type as
    which a kernel reads the tensor, where that is another one.
    """

    value: ir.Value | ir.DenseElementsAttr
    access: Access
    view: ir.Type | None = None

    @property
    def type(self) -> ir.Type:
        return self.view or element_type(self.value)


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


def element_type(value: ir.Value | ir.DenseElementsAttr) -> ir.Type:
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
        values[op.result] = apply_like(op, operands)
    return [lookup(v) for v in terminator.operands]


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an operation may stand in a region of `gemm.matmul`."""
    dialect, _, _ = op.name.partition(".")
    return dialect in ("arith", "math") and len(op.results) == 1 and not op.regions


def loads_of(nodes: Sequence[Expression]) -> Iterator[Load]:
    """Every load once, depth first."""
    return (node for node in walk(nodes) if isinstance(node, Load))


def walk(nodes: Sequence[Expression]) -> Iterator[Expression]:
    """Every node once, before its operands."""
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


def walk_up(nodes: Sequence[Expression]) -> Iterator[Expression]:
    """Every node once, after its operands."""
    seen: set[int] = set()
    stack = [(node, False) for node in reversed(nodes)]
    while stack:
        node, is_ready = stack.pop()
        if id(node) in seen:
            continue
        if is_ready or not isinstance(node, Apply):
            seen.add(id(node))
            yield node
        else:
            stack.append((node, True))
            stack.extend((o, False) for o in reversed(node.operands))


def transform(
    nodes: Sequence[Expression], change: Callable[[Expression], Expression]
) -> list[Expression]:
    """The expressions with every node changed, operands first.

    What is shared, among them too, stays shared.
    """
    changed: dict[int, Expression] = {}
    for node in walk_up(nodes):
        changed[id(node)] = change(_with_operands(node, changed))
    return [changed[id(node)] for node in nodes]


def _with_operands(node: Expression, changed: Mapping[int, Expression]) -> Expression:
    if not isinstance(node, Apply):
        return node
    operands = tuple(changed[id(o)] for o in node.operands)
    if all(a is b for a, b in zip(operands, node.operands, strict=True)):
        return node
    return replace(node, operands=operands)


def _outer_value(value: ir.Value) -> Expression:
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView):
        op = owner.operation
        if op.name == "arith.constant":
            return apply_like(op, ())
    return Load(value, ())


def apply_like(op: ir.Operation, operands: Sequence[Expression]) -> Apply:
    """An operation, on scalars or whole tensors, applied to other operands."""
    attributes = {name: op.attributes[name] for name in op.attributes}
    return Apply(op.name, tuple(operands), attributes, element_type(op.result))


def build(
    nodes: Sequence[Expression], leaf: Callable[[Load | Accumulator], ir.Value]
) -> list[ir.Value]:
    """The values of expressions, built at the insertion point."""
    built: dict[int, ir.Value] = {}
    for node in walk_up(nodes):
        if isinstance(node, Apply):
            built[id(node)] = ir.Operation.create(
                node.name,
                results=[node.type],
                operands=[built[id(o)] for o in node.operands],
                attributes=dict(node.attributes),
            ).result
        else:
            built[id(node)] = leaf(node)
    return [built[id(node)] for node in nodes]
