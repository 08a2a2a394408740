# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random products with what surrounds them, and their results from NumPy.

Values are small integers, so that every order of additions gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import random_consumers
import random_operands
from hypothesis import strategies as st
from program_text import Body, Function, Tensor, map_text

TYPES = (
    ("f32", "f32", "f32"),
    ("f32", "f32", "f32"),
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("f32", "f16", "f32"),
    ("i8", "i8", "i32"),
    ("i8", "i8", "i32"),
    ("i32", "i32", "i64"),
)
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 33)
CASTS = {
    ("f16", "f32"): "arith.extf",
    ("i8", "i32"): "arith.extsi",
    ("i32", "i64"): "arith.extsi",
}


@dataclass(frozen=True)
class Program:
    """A function, its arguments and what it returns for them."""

    name: str
    text: str
    arguments: tuple[np.ndarray, ...]
    results: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Loops:
    """The iteration space: kinds, extents and which extents are dynamic."""

    kinds: tuple[str, ...]
    extents: tuple[int, ...]
    dynamic: tuple[bool, ...]

    def of(self, *kinds: str) -> list[int]:
        return [n for n, kind in enumerate(self.kinds) if kind in kinds]


def programs(name: str) -> st.SearchStrategy[Program]:
    """Functions with one product each, made from a number.

    Drawing a number alone keeps programs apart: Hypothesis likes to repeat choices.
    """
    return st.integers(0, 2**32 - 1).map(lambda number: program(name, number))


def program(name: str, number: int) -> Program:
    """The function that belongs to a number."""
    random = random_operands.Choices(np.random.default_rng(number))
    function = Function(name)
    value = _product(function, random, _loops(random))
    results = random_consumers.apply_some(function, random, value)
    return Program(
        name,
        function.text(results),
        tuple(a.array for a in function.arguments),
        tuple(r.array for r in results),
    )


def _loops(random: random_operands.Choices) -> Loops:
    counts = {
        "b": random.pick((0, 0, 1, 2)),
        "m": random.pick((0, 1, 1, 1, 2)),
        "n": random.pick((1, 1, 1, 2)),
        "k": random.pick((1, 1, 1, 2)),
    }
    kinds = random.shuffled([kind for kind, n in counts.items() for _ in range(n)])
    extents = []
    for kind in kinds:
        options = EXTENTS if len(kinds) < 5 else EXTENTS[:6]
        if kind == "b":
            options = (1, 2, 3)
        extents.append(random.pick(options))
    dynamic = [random.pick((False, False, False, True)) for _ in kinds]
    return Loops(tuple(kinds), tuple(extents), tuple(dynamic))


def _product(
    function: Function, random: random_operands.Choices, loops: Loops
) -> Tensor:
    types = random.pick(TYPES)
    is_shared = random.pick((False, False, True))
    dims = (
        random.shuffled(loops.of("b", "m", "k")),
        random.shuffled(loops.of(*("nk" if is_shared else "bnk"))),
        random.shuffled(loops.of("b", "m", "n")),
    )
    sides = [
        random_operands.operand(function, random, _spec(loops, d, t))
        for d, t in zip(dims[:2], types[:2], strict=True)
    ]
    sizes = {
        d: size
        for side, axes in zip(sides, dims[:2], strict=True)
        for d, size in zip(axes, side.sizes, strict=True)
        if size
    }
    like = function.result(
        np.zeros([loops.extents[d] for d in dims[2]]),
        types[2],
        [sizes[d] if loops.dynamic[d] else None for d in dims[2]],
    )
    init = _init(function, random, like)
    if types == ("f32", "f32", "f32") and random.pick((True, False, False)):
        return _scaled_product(function, random, loops, (dims, sides, init))
    maps = [map_text(len(loops.kinds), d) for d in dims]
    zeros = (random.pick((0, 1)), random.pick((0, 0, -2)))
    if types[2] != "i32":
        zeros = (0, 0)
    wide = np.float64 if types[2].startswith("f") else np.int64
    lhs, rhs = (s.array.astype(wide) - z for s, z in zip(sides, zeros, strict=True))
    array = np.einsum(lhs, dims[0], rhs, dims[1], dims[2]) + init.array.astype(wide)
    value = function.result(array, types[2], init.sizes)
    if not any(zeros) and random.pick((False, True)) and types[2] != "i64":
        lhs, rhs = sides
        return function.emit(
            value,
            f"linalg.contract indexing_maps = [{', '.join(maps)}] "
            f"ins({lhs.name}, {rhs.name} : {lhs.type}, {rhs.type}) "
            f"outs({init.name} : {init.type}) -> {value.type}",
        )
    body = _body(types, zeros, random.pick((False, True)))
    reductions = frozenset(loops.of("k"))
    return function.generic(maps, sides, (init, value), body, reductions)


def _scaled_product(
    function: Function,
    random: random_operands.Choices,
    loops: Loops,
    product: tuple[tuple[list[int], ...], list[Tensor], Tensor],
) -> Tensor:
    """A third factor in the body, over some dimensions of one side."""
    dims, sides, init = product
    axes = [d for d in random.pick(dims[:2]) if random.pick((True, False))]
    spec = _spec(loops, axes, "f32")
    scale = function.argument(random.integers(spec.shape), "f32", spec.dynamic)
    arrays = [t.array.astype(np.float64) for t in (*sides, scale)]
    array = np.einsum(arrays[0], dims[0], arrays[1], dims[1], arrays[2], axes, dims[2])
    value = function.result(array + init.array, "f32", init.sizes)
    order = random.shuffled(range(3))

    def body(names: list[str]) -> tuple[list[str], str]:
        a, b, c = (names[o] for o in order)
        total = names[-1]
        lines = [
            f"{total}p = arith.mulf {a}, {b} : f32",
            f"{total}q = arith.mulf {total}p, {c} : f32",
            f"{total}r = arith.addf {total}, {total}q : f32",
        ]
        return lines, f"{total}r"

    maps = [map_text(len(loops.kinds), d) for d in (*dims[:2], axes, dims[2])]
    reductions = frozenset(loops.of("k"))
    return function.generic(maps, [*sides, scale], (init, value), body, reductions)


def _spec(loops: Loops, dims: Sequence[int], element: str) -> random_operands.Spec:
    return random_operands.Spec(
        tuple(loops.extents[d] for d in dims),
        tuple(loops.dynamic[d] for d in dims),
        element,
    )


def _init(function: Function, random: random_operands.Choices, like: Tensor) -> Tensor:
    """Zero, a number, a tensor, or a vector along the last dimension."""
    kind = random.pick(("zero", "zero", "zero", "number", "tensor", "bias"))
    if kind in ("zero", "number"):
        return function.fill(like, 0 if kind == "zero" else 3)
    dynamic = [bool(size) for size in like.sizes]
    if kind == "tensor":
        return function.argument(random.integers(like.shape), like.element, dynamic)
    numbers = random.integers(like.shape[-1:])
    vector = function.argument(numbers, like.element, dynamic[-1:])
    array = np.broadcast_to(vector.array, like.shape)
    value = function.result(array, like.element, like.sizes)
    rank = len(like.shape)
    maps = [map_text(rank, [rank - 1]), map_text(rank, range(rank))]
    out = function.empty(value)
    return function.generic(maps, [vector], (out, value), lambda n: ([], n[0]))


def _body(
    types: tuple[str, str, str], zeros: tuple[int, int], is_reversed: bool
) -> Body:
    """Casts, zero points, a product and a sum in the type of the result."""
    out = types[2]
    kind = "f" if out.startswith("f") else "i"

    def body(names: list[str]) -> tuple[list[str], str]:
        lines: list[str] = []
        sides = []
        for name, element, zero in zip(names, types, zeros, strict=False):
            if element != out:
                cast = CASTS[(element, out)]
                lines.append(f"{name}c = {cast} {name} : {element} to {out}")
                name += "c"
            if zero:
                lines.append(f"{name}p = arith.constant {zero} : {out}")
                lines.append(f"{name}z = arith.subi {name}, {name}p : {out}")
                name += "z"
            sides.append(name)
        total = names[-1]
        lines.append(f"{total}m = arith.mul{kind} {sides[0]}, {sides[1]} : {out}")
        terms = [total, f"{total}m"][:: -1 if is_reversed else 1]
        lines.append(f"{total}s = arith.add{kind} {', '.join(terms)} : {out}")
        return lines, f"{total}s"

    return body
