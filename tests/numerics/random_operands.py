# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operands of a product, made by operations that should fold into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from program_text import Function, Tensor, map_text

T = TypeVar("T")


@dataclass(frozen=True)
class Choices:
    """Where every choice of a program comes from."""

    rng: np.random.Generator

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.rng.integers(len(options)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return [items[n] for n in self.rng.permutation(len(items))]

    def integers(self, shape: Sequence[int]) -> np.ndarray:
        return self.rng.integers(-2, 3, size=tuple(shape))


@dataclass(frozen=True)
class Spec:
    """A tensor that is wanted."""

    shape: tuple[int, ...]
    dynamic: tuple[bool, ...]
    element: str

    @property
    def is_static(self) -> bool:
        return not any(self.dynamic)


def operand(function: Function, random: Choices, spec: Spec, depth: int = 0) -> Tensor:
    """An argument, or what one or two operations make of one."""
    makers = [_argument, _argument, _transposed, _converted, _broadcast]
    if spec.is_static:
        makers += [_collapsed, _expanded, _sliced, _splat]
    else:
        makers += [_collapsed_at_run_time]
    if depth == 2:
        makers = [_argument]
    return random.pick(makers)(function, random, spec, depth)


def _argument(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    return function.argument(random.integers(spec.shape), spec.element, spec.dynamic)


def _transposed(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    rank = len(spec.shape)
    order = random.shuffled(range(rank))
    back = [order.index(n) for n in range(rank)]
    source = operand(
        function,
        random,
        replace(
            spec,
            shape=tuple(spec.shape[o] for o in order),
            dynamic=tuple(spec.dynamic[o] for o in order),
        ),
        depth + 1,
    )
    value = function.result(
        source.array.transpose(back), spec.element, [source.sizes[b] for b in back]
    )
    out = function.empty(value)
    return function.emit(
        value,
        f"linalg.transpose ins({source.name} : {source.type}) "
        f"outs({out.name} : {out.type}) permutation = {back}",
    )


_SOURCES = {
    "f32": (("f16", "arith.extf"), ("i8", "arith.sitofp")),
    "f16": (("i8", "arith.sitofp"),),
    "i32": (("i8", "arith.extsi"),),
    "i8": (("i8", None),),
}


def _converted(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    """A cast, and perhaps a scale by a vector along the first dimension."""
    element, cast = random.pick(_SOURCES[spec.element])
    source = operand(function, random, replace(spec, element=element), depth + 1)
    scales = []
    array = source.array
    if cast and spec.shape and random.pick((True, False)):
        numbers = random.rng.integers(1, 3, size=spec.shape[:1])
        scales = [function.argument(numbers, spec.element, spec.dynamic[:1])]
        array = array * np.expand_dims(numbers, list(range(1, array.ndim)))
    value = function.result(array, spec.element, source.sizes)
    out = function.empty(value)
    multiply = "arith.mulf" if spec.element.startswith("f") else "arith.muli"

    def body(names: list[str]) -> tuple[list[str], str]:
        if cast is None:
            return [], names[0]
        lines = [f"{names[0]}c = {cast} {names[0]} : {element} to {spec.element}"]
        if not scales:
            return lines, f"{names[0]}c"
        product = f"{multiply} {names[0]}c, {names[1]} : {spec.element}"
        return [*lines, f"{names[0]}s = {product}"], f"{names[0]}s"

    rank = len(spec.shape)
    every = map_text(rank, range(rank))
    maps = [every, *(map_text(rank, [0]) for _ in scales), every]
    return function.generic(maps, [source, *scales], (out, value), body)


def _broadcast(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    kept = [n for n, d in enumerate(spec.dynamic) if d or random.pick((True, False))]
    source = operand(
        function,
        random,
        replace(
            spec,
            shape=tuple(spec.shape[n] for n in kept),
            dynamic=tuple(spec.dynamic[n] for n in kept),
        ),
        2,
    )
    sizes: list[str | None] = [None] * len(spec.shape)
    for n, size in zip(kept, source.sizes, strict=True):
        sizes[n] = size
    new = [n for n in range(len(spec.shape)) if n not in kept]
    array = np.broadcast_to(np.expand_dims(source.array, new), spec.shape)
    value = function.result(array, spec.element, sizes)
    out = function.empty(value)
    rank = len(spec.shape)
    maps = [map_text(rank, kept), map_text(rank, range(rank))]
    return function.generic(maps, [source], (out, value), lambda n: ([], n[0]))


def _collapsed(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    """One dimension from two."""
    axis = random.pick(range(len(spec.shape)))
    size = spec.shape[axis]
    inner = random.pick([n for n in range(1, size + 1) if size % n == 0])
    shape = (*spec.shape[:axis], size // inner, inner, *spec.shape[axis + 1 :])
    wide = Spec(shape, (False,) * len(shape), spec.element)
    source = operand(function, random, wide, depth + 1)
    groups = [[n + (n > axis)] for n in range(len(spec.shape))]
    groups[axis] = [axis, axis + 1]
    value = function.result(
        source.array.reshape(spec.shape), spec.element, [None] * len(spec.shape)
    )
    return function.emit(
        value,
        f"tensor.collapse_shape {source.name} {groups} "
        f": {source.type} into {value.type}",
    )


def _collapsed_at_run_time(
    function: Function, random: Choices, spec: Spec, depth: int
) -> Tensor:
    """One dynamic dimension from two, which consumers may ask for again."""
    axis = random.pick([n for n, d in enumerate(spec.dynamic) if d])
    size = spec.shape[axis]
    inner = random.pick([n for n in range(1, size + 1) if size % n == 0])
    shape = (*spec.shape[:axis], size // inner, inner, *spec.shape[axis + 1 :])
    kept = (True, random.pick((True, True, False)))
    dynamic = (*spec.dynamic[:axis], *kept, *spec.dynamic[axis + 1 :])
    source = operand(function, random, Spec(shape, dynamic, spec.element), depth + 1)
    groups = [[n + (n > axis)] for n in range(len(spec.shape))]
    groups[axis] = [axis, axis + 1]
    total = function.fresh()
    sizes = [*source.sizes[:axis], total, *source.sizes[axis + 2 :]]
    value = function.result(source.array.reshape(spec.shape), spec.element, sizes)
    function.emit(
        value,
        f"tensor.collapse_shape {source.name} {groups} "
        f": {source.type} into {value.type}",
    )
    index = function.scalar("index", axis)
    function.lines.append(f"{total} = tensor.dim {value.name}, {index} : {value.type}")
    function.parts[total] = list(
        zip(source.sizes[axis : axis + 2], shape[axis : axis + 2], strict=True)
    )
    return value


def _expanded(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    """Two dimensions from one."""
    if len(spec.shape) < 2:
        return _argument(function, random, spec, depth)
    axis = random.pick(range(len(spec.shape) - 1))
    size = spec.shape[axis] * spec.shape[axis + 1]
    shape = (*spec.shape[:axis], size, *spec.shape[axis + 2 :])
    narrow = Spec(shape, (False,) * len(shape), spec.element)
    source = operand(function, random, narrow, depth + 1)
    groups = [[n + (n > axis)] for n in range(len(shape))]
    groups[axis] = [axis, axis + 1]
    value = function.result(
        source.array.reshape(spec.shape), spec.element, [None] * len(spec.shape)
    )
    return function.emit(
        value,
        f"tensor.expand_shape {source.name} {groups} "
        f"output_shape {list(spec.shape)} : {source.type} into {value.type}",
    )


def _sliced(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    """A slice, perhaps at run-time offsets, of a tensor that may have more axes."""
    before = [random.pick((0, 0, 1, 3)) for _ in spec.shape]
    after = [random.pick((0, 0, 2)) for _ in spec.shape]
    shape = [b + n + a for b, n, a in zip(before, spec.shape, after, strict=True)]
    sizes = list(spec.shape)
    index = [slice(b, b + n) for b, n in zip(before, sizes, strict=True)]
    if random.pick((True, False)):
        axis = random.pick(range(len(shape) + 1))
        shape.insert(axis, 3)
        sizes.insert(axis, 1)
        before.insert(axis, 1)
        index.insert(axis, 1)
    wide = Spec(tuple(shape), (False,) * len(shape), spec.element)
    source = operand(function, random, wide, 2)
    value = function.result(
        source.array[tuple(index)], spec.element, [None] * len(spec.shape)
    )
    offsets = [
        random_index(function, random, number)
        if random.pick((True, False, False))
        else str(number)
        for number in before
    ]
    return function.emit(
        value,
        f"tensor.extract_slice {source.name}[{', '.join(offsets)}] {sizes} "
        f"{[1] * len(sizes)} "
        f": {source.type} to {value.type}",
    )


def random_index(function: Function, random: Choices, number: int) -> str:
    """An index value that is a number: constant, of the host, the device, or both."""
    kinds = ("constant", "size", "i32", "i64", "clamped", "sum", "at size")
    kind = random.pick(kinds)
    if kind == "constant":
        return function.scalar("index", number)
    if kind == "size":
        return function.size_index(number)
    if kind == "clamped":
        far = function.element_index(2**40 + 3, "i64")
        return function.arithmetic("minsi", far, function.scalar("index", number))
    if kind == "sum":
        host, device = function.size_index(2), function.element_index(number - 2, "i32")
        return function.arithmetic("addi", device, host)
    if kind == "at size":
        return function.element_index(number, "i32", function.size_index(1))
    return function.element_index(number, kind)


def _splat(function: Function, random: Choices, spec: Spec, depth: int) -> Tensor:
    return function.constant(spec.shape, spec.element, random.pick((1, 2)))
