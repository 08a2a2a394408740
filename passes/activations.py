# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognizes activation functions in a chain of elementwise operations.

By what they compute, not by how they are spelled: the operations after a value are
evaluated at a few points, as far as they depend on it and on constants alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from iree.compiler import ir

_POINTS = (-4.3, -1.9, -0.7, -0.2, 0.4, 1.3, 2.6, 7.5)
# Half constants leave errors of 1e-3; the two gelus differ by 4e-4, the nearer wins.
_TOLERANCE = 2e-3

Samples = tuple[float, ...]

_UNNAMED = ("arith.constant", "arith.extf", "arith.truncf")
# Their bounds lie beyond the points, as those of an i8 do.
_WIDE_CLAMPS = (
    {"arith.maximumf", "arith.minimumf"},
    {"arith.maxnumf", "arith.minnumf"},
    {"arith.maxsi", "arith.minsi"},
)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "relu6": lambda x: min(max(x, 0.0), 6.0),
    "gelu (erf)": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "gelu (tanh)": lambda x: (
        0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "gelu (sigmoid)": lambda x: x * _sigmoid(1.702 * x),
    "silu": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "hardswish": lambda x: x * min(max(x + 3, 0.0), 6.0) / 6,
    "softplus": lambda x: math.log1p(math.exp(x)),
}
_KNOWN = {name: tuple(map(f, _POINTS)) for name, f in _FUNCTIONS.items()}

_COMPARISONS = {
    "arith.cmpf": {
        2: operator.gt,
        3: operator.ge,
        4: operator.lt,
        5: operator.le,
        9: operator.gt,
        10: operator.ge,
        11: operator.lt,
        12: operator.le,
    },
    "arith.cmpi": {2: operator.lt, 3: operator.le, 4: operator.gt, 5: operator.ge},
}
_SCALAR: dict[str, Callable[..., float]] = {
    "arith.addf": operator.add,
    "arith.addi": operator.add,
    "arith.subf": operator.sub,
    "arith.subi": operator.sub,
    "arith.mulf": operator.mul,
    "arith.muli": operator.mul,
    "arith.divf": operator.truediv,
    "arith.negf": operator.neg,
    "arith.maximumf": max,
    "arith.maxnumf": max,
    "arith.maxsi": max,
    "arith.minimumf": min,
    "arith.minnumf": min,
    "arith.minsi": min,
    "arith.extf": float,
    "arith.truncf": float,
    "arith.select": lambda flag, a, b: a if flag else b,
    "math.absf": abs,
    "math.erf": math.erf,
    "math.exp": math.exp,
    "math.exp2": lambda x: 2.0**x,
    "math.expm1": math.expm1,
    "math.fpowi": operator.pow,
    "math.powf": operator.pow,
    "math.log": math.log,
    "math.log1p": math.log1p,
    "math.tanh": math.tanh,
}


@dataclass(frozen=True)
class Activation:
    """A known function of one value, and the operations that compute it."""

    name: str
    ops: tuple[ir.Operation, ...]


def activations_of(
    argument: ir.Value, chain: Sequence[ir.Operation]
) -> list[Activation]:
    """The activations of a chain that starts at an argument; the longest ones win."""
    found: list[Activation] = []
    for start in (argument, *(op.result for op in chain)):
        found += _functions_of(start, chain)
    found.sort(key=lambda activation: len(activation.ops), reverse=True)
    chosen: list[Activation] = []
    for activation in found:
        taken = {op for other in chosen for op in other.ops}
        if taken.isdisjoint(activation.ops):
            chosen.append(activation)
    return chosen


def _functions_of(start: ir.Value, chain: Sequence[ir.Operation]) -> list[Activation]:
    samples: dict[ir.Value, Samples] = {start: _POINTS}
    members: dict[ir.Value, tuple[ir.Operation, ...]] = {start: ()}
    found = []
    for op in chain:
        if op.result in samples:
            continue
        values = _evaluate(op, samples)
        if values is None:
            continue
        samples[op.result] = values
        read = [m for v in op.operands for m in members[v]]
        members[op.result] = tuple(dict.fromkeys((*read, op)))
        name = _name_of(values, members[op.result])
        if name is not None and op.name not in _UNNAMED:
            ops = tuple(m for m in members[op.result] if m.operands)
            found.append(Activation(name, ops))
    return found


def _evaluate(op: ir.Operation, samples: Mapping[ir.Value, Samples]) -> Samples | None:
    if op.name == "arith.constant":
        return (float(op.attributes["value"].value),) * len(_POINTS)
    function = _function(op)
    if function is None or any(v not in samples for v in op.operands):
        return None
    columns = zip(*(samples[v] for v in op.operands), strict=True)
    try:
        return tuple(function(*column) for column in columns)
    except (ArithmeticError, ValueError, TypeError):
        return None


def _function(op: ir.Operation) -> Callable[..., float] | None:
    if op.name in _COMPARISONS:
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return _COMPARISONS[op.name].get(predicate)
    return _SCALAR.get(op.name)


def _name_of(values: Samples, ops: Sequence[ir.Operation]) -> str | None:
    if any(isinstance(v, bool) for v in values):
        return None
    errors = {name: _distance(values, known) for name, known in _KNOWN.items()}
    nearest = min(errors, key=errors.__getitem__)
    if errors[nearest] < _TOLERANCE:
        return nearest
    return "clamp" if _is_clamp(values, ops) else None


def _is_clamp(values: Samples, ops: Sequence[ir.Operation]) -> bool:
    """Whether every point is itself, or the least or greatest value."""
    bounds = (min(values), max(values))
    inside = [v == p for v, p in zip(values, _POINTS, strict=True)]
    if all(inside):
        return {op.name for op in ops} - {"arith.constant"} in _WIDE_CLAMPS
    return any(inside) and all(
        kept or v in bounds for v, kept in zip(values, inside, strict=True)
    )


def _distance(values: Samples, known: Samples) -> float:
    return max(abs(a - b) for a, b in zip(values, known, strict=True))
