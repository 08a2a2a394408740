# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operations on the result of a product."""

from __future__ import annotations

import numpy as np
import random_reshapes
from program_text import Body, Function, Tensor, elementwise, map_text
from random_operands import Choices, random_index


def apply_some(function: Function, random: Choices, value: Tensor) -> list[Tensor]:
    """Up to four operations in a row; earlier values may be returned as well."""
    results = []
    if value.element == "i64":
        value = _cast(function, random, value)
    for _ in range(random.pick((0, 1, 2, 3, 4))):
        if random.pick((False,) * 7 + (True,)):
            results.append(value)
        value = random.pick(_CONSUMERS)(function, random, value)
    return [value, *results]


def _prefix(value: Tensor) -> str:
    return "f" if value.element.startswith("f") else "i"


def _is_large(value: Tensor) -> bool:
    """Whether another operation could leave the integers that f16 holds."""
    return bool(np.abs(value.array.astype(np.float64)).max(initial=0) > 400)


def _vector(function: Function, random: Choices, value: Tensor) -> Tensor:
    """Addition of a vector along one dimension."""
    if _is_large(value) or not value.shape:
        return value
    axis = random.pick(range(len(value.shape)))
    vector = function.argument(
        random.integers([value.shape[axis]]), value.element, [bool(value.sizes[axis])]
    )
    new = [n for n in range(len(value.shape)) if n != axis]
    array = value.array + np.expand_dims(vector.array, new)
    return elementwise(
        function,
        [value, vector],
        (value.element, array),
        _binary(f"arith.add{_prefix(value)}", value.element),
        [range(len(value.shape)), [axis]],
    )


def _residual(function: Function, random: Choices, value: Tensor) -> Tensor:
    if _is_large(value):
        return value
    dynamic = [bool(s) for s in value.sizes]
    other = function.argument(random.integers(value.shape), value.element, dynamic)
    array = value.array - other.array
    operation = f"arith.sub{_prefix(value)}"
    if random.pick((True, False)):
        result = function.result(array, value.element, value.sizes)
        return function.emit(
            result, f"{operation} {value.name}, {other.name} : {value.type}"
        )
    body = _binary(operation, value.element)
    return elementwise(function, [value, other], (value.element, array), body)


def _doubled(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A graph rather than a chain: the value is read twice."""
    if _is_large(value):
        return value
    negated = _relu(function, random, value)
    body = _binary(f"arith.add{_prefix(value)}", value.element)
    array = value.array + negated.array
    return elementwise(function, [value, negated], (value.element, array), body)


def _scaled(function: Function, random: Choices, value: Tensor) -> Tensor:
    if _is_large(value):
        return value
    number = random.pick((2, -1))
    literal = f"{number}.0" if _prefix(value) == "f" else number
    scalar = function.scalar(value.element, literal)

    def body(names: list[str]) -> tuple[list[str], str]:
        operation = f"arith.mul{_prefix(value)}"
        line = f"{names[0]}r = {operation} {scalar}, {names[0]} : {value.element}"
        return [line], f"{names[0]}r"

    return elementwise(function, [value], (value.element, value.array * number), body)


def _scaled_by_argument(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A factor that comes out of a tensor."""
    if _is_large(value):
        return value
    numbers = function.argument(random.integers([3]), value.element, [False])
    index = random_index(function, random, 1)
    scalar = function.fresh()
    function.lines.append(
        f"{scalar} = tensor.extract {numbers.name}[{index}] : {numbers.type}"
    )

    def body(names: list[str]) -> tuple[list[str], str]:
        operation = f"arith.mul{_prefix(value)}"
        line = f"{names[0]}r = {operation} {names[0]}, {scalar} : {value.element}"
        return [line], f"{names[0]}r"

    array = value.array * numbers.array[1]
    return elementwise(function, [value], (value.element, array), body)


def _relu(function: Function, random: Choices, value: Tensor) -> Tensor:
    spelling = random.pick(("max", "select"))
    zero = function.scalar(value.element, "0.0" if _prefix(value) == "f" else 0)

    def body(names: list[str]) -> tuple[list[str], str]:
        x, type_ = names[0], value.element
        if spelling == "max":
            operation = "maximumf" if _prefix(value) == "f" else "maxsi"
            return [f"{x}r = arith.{operation} {x}, {zero} : {type_}"], f"{x}r"
        compare = "cmpf ogt" if _prefix(value) == "f" else "cmpi sgt"
        lines = [
            f"{x}t = arith.{compare}, {x}, {zero} : {type_}",
            f"{x}r = arith.select {x}t, {x}, {zero} : {type_}",
        ]
        return lines, f"{x}r"

    array = np.maximum(value.array, 0)
    return elementwise(function, [value], (value.element, array), body)


_NARROWING = {
    "f32": ("f16", "arith.truncf"),
    "f16": ("f32", "arith.extf"),
    "i32": ("f32", "arith.sitofp"),
    "i64": ("i32", "arith.trunci"),
}


def _cast(function: Function, random: Choices, value: Tensor) -> Tensor:
    element, cast = _NARROWING[value.element]
    if element == "f16" and np.abs(value.array).max(initial=0) > 1000:
        return value

    def body(names: list[str]) -> tuple[list[str], str]:
        line = f"{names[0]}r = {cast} {names[0]} : {value.element} to {element}"
        return [line], f"{names[0]}r"

    return elementwise(function, [value], (element, value.array), body)


def _masked(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A selection by a tensor of flags."""
    dynamic = [bool(s) for s in value.sizes]
    numbers = function.argument(random.integers(value.shape), "i32", dynamic)
    zero = function.scalar("i32", 0)
    flags = elementwise(
        function,
        [numbers],
        ("i1", numbers.array > 0),
        lambda n: (
            [f"{n[0]}r = arith.cmpi sgt, {n[0]}, {zero} : i32"],
            f"{n[0]}r",
        ),
    )
    other = function.scalar(value.element, "7.0" if _prefix(value) == "f" else 7)

    def body(names: list[str]) -> tuple[list[str], str]:
        x, flag = names[:2]
        line = f"{x}r = arith.select {flag}, {x}, {other} : {value.element}"
        return [line], f"{x}r"

    array = np.where(flags.array, value.array, 7)
    return elementwise(function, [value, flags], (value.element, array), body)


def _summed(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A sum along the last dimension, which ends what folds."""
    # IREE 3.13 gets integer sums, dynamic sums and sums of sums wrong on lavapipe.
    is_hard = any(value.sizes) or _prefix(value) == "i" or function.has_sum
    if len(value.shape) < 2 or is_hard or _is_large(value):
        return value
    array = value.array.astype(np.float64).sum(axis=-1)
    if np.abs(array).max(initial=0) > 1000:
        return value
    function.has_sum = True
    result = function.result(array, value.element, value.sizes[:-1])
    out = function.fill(result, 0)
    rank = len(value.shape)
    return function.emit(
        result,
        f"linalg.reduce {{ arith.add{_prefix(value)} }} "
        f"ins({value.name} : {value.type}) outs({out.name} : {out.type}) "
        f"dimensions = [{rank - 1}]",
    )


def _binary(operation: str, element: str) -> Body:
    def body(names: list[str]) -> tuple[list[str], str]:
        line = f"{names[0]}r = {operation} {names[0]}, {names[1]} : {element}"
        return [line], f"{names[0]}r"

    return body


def _permuted(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A generic that transposes and adds in one."""
    rank = len(value.shape)
    if _is_large(value) or not rank:
        return value
    order = random.shuffled(range(rank))
    array = value.array.transpose(order)
    sizes = [value.sizes[o] for o in order]
    other = function.argument(
        random.integers(array.shape[-1:]), value.element, [bool(sizes[-1])]
    )
    result = function.result(array + other.array, value.element, sizes)
    out = function.empty(result)
    read = [order.index(n) for n in range(rank)]
    maps = [map_text(rank, axes) for axes in (read, [rank - 1], range(rank))]
    body = _binary(f"arith.add{_prefix(value)}", value.element)
    return function.generic(maps, [value, other], (out, result), body)


_CONSUMERS = (
    random_reshapes.split_at_run_time,
    random_reshapes.split_at_run_time,
    _permuted,
    random_reshapes.split,
    _vector,
    _vector,
    _residual,
    _scaled,
    _scaled_by_argument,
    _relu,
    _doubled,
    _cast,
    _masked,
    random_reshapes.transposed,
    random_reshapes.reshaped,
    _summed,
)
