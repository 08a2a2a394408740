# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device must say of itself before a variant of an executable is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith, hal


@dataclass(frozen=True)
class Query:
    """A number that a device knows, and the least or the exact one that will do."""

    category: str
    key: str
    value: int
    is_exact: bool = False


Needs = tuple[tuple[Query, ...], ...]
"""All of these hold, each by any one of its queries."""


def feature(name: str) -> tuple[Query, ...]:
    return (Query("vulkan.feature", name, 1),)


def emit_condition(needs: Needs) -> None:
    """The condition of the variant at the insertion point."""
    device, flag = ir.Type.parse("!hal.device"), ir.IntegerType.get_signless(1)
    type_ = ir.TypeAttr.get(ir.FunctionType.get([device], [flag]))
    condition = hal.ExecutableConditionOp(type_)
    locations = [ir.Location.current]
    block = condition.regions[0].blocks.append(device, arg_locs=locations)
    with ir.InsertionPoint(block):
        holds = [_any(block.arguments[0], queries) for queries in needs]
        hal.return_([_joined(arith.andi, holds)])


def _any(device: ir.Value, queries: Sequence[Query]) -> ir.Value:
    return _joined(arith.ori, [_holds(device, query) for query in queries])


def _holds(device: ir.Value, query: Query) -> ir.Value:
    i1, i32 = (ir.IntegerType.get_signless(bits) for bits in (1, 32))
    zero = ir.IntegerAttr.get(i32, 0)
    answer = hal.DeviceQueryOp(
        i1, i32, device, query.category, query.key, default_value=zero
    )
    predicate = arith.CmpIPredicate.eq if query.is_exact else arith.CmpIPredicate.sge
    return arith.cmpi(predicate, answer.value, arith.constant(i32, query.value))


def _joined(
    join: Callable[[ir.Value, ir.Value], ir.Value], values: Sequence[ir.Value]
) -> ir.Value:
    first, *others = values
    for other in others:
        first = join(first, other)
    return first
