# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random changes of the shape of a product's result."""

from __future__ import annotations

from program_text import Function, Tensor
from random_operands import Choices


def transposed(function: Function, random: Choices, value: Tensor) -> Tensor:
    order = random.shuffled(range(len(value.shape)))
    sizes = [value.sizes[o] for o in order]
    result = function.result(value.array.transpose(order), value.element, sizes)
    out = function.empty(result)
    return function.emit(
        result,
        f"linalg.transpose ins({value.name} : {value.type}) "
        f"outs({out.name} : {out.type}) permutation = {order}",
    )


def reshaped(function: Function, random: Choices, value: Tensor) -> Tensor:
    """Two dimensions become one, or one becomes two."""
    rank = len(value.shape)
    if rank >= 2 and not any(value.sizes[:2]):
        shape = (value.shape[0] * value.shape[1], *value.shape[2:])
        groups = [[0, 1], *([n] for n in range(2, rank))]
        sizes = [None, *value.sizes[2:]]
        array = value.array.reshape(shape)
        result = function.result(array, value.element, sizes)
        text = f"tensor.collapse_shape {value.name} {groups} : "
        return function.emit(result, f"{text}{value.type} into {result.type}")
    return value


def split(function: Function, random: Choices, value: Tensor) -> Tensor:
    """The last dimension becomes two."""
    if not value.shape or value.sizes[-1]:
        return value
    *outer, last = value.shape
    inner = random.pick([n for n in range(1, last + 1) if last % n == 0])
    rank = len(value.shape)
    array = value.array.reshape([*outer, last // inner, inner])
    result = function.result(array, value.element, [*value.sizes, None])
    shape = [s or n for s, n in zip(result.sizes, array.shape, strict=True)]
    groups = [*([n] for n in range(rank - 1)), [rank - 1, rank]]
    return function.emit(
        result,
        f"tensor.expand_shape {value.name} {groups} "
        f"output_shape [{', '.join(map(str, shape))}] "
        f": {value.type} into {result.type}",
    )


def split_at_run_time(function: Function, random: Choices, value: Tensor) -> Tensor:
    """A dynamic dimension becomes the two that it was collapsed from."""
    axes = [n for n, size in enumerate(value.sizes) if size in function.parts]
    if not axes:
        return value
    axis = random.pick(axes)
    parts = function.parts[value.sizes[axis] or ""]
    rank = len(value.shape)
    numbers = [n for _, n in parts]
    array = value.array.reshape(
        [*value.shape[:axis], *numbers, *value.shape[axis + 1 :]]
    )
    sizes = [*value.sizes[:axis], *(s for s, _ in parts), *value.sizes[axis + 1 :]]
    result = function.result(array, value.element, sizes)
    shape = [s or n for s, n in zip(sizes, array.shape, strict=True)]
    groups = [[n + (n > axis)] for n in range(rank)]
    groups[axis] = [axis, axis + 1]
    return function.emit(
        result,
        f"tensor.expand_shape {value.name} {groups} "
        f"output_shape [{', '.join(map(str, shape))}] "
        f": {value.type} into {result.type}",
    )
