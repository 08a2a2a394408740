# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random products with what surrounds them, and their results from NumPy.

Values are small integers, so that every order of additions gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import random_consumers
import random_operands
from program_text import Function, Tensor, map_text

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
    lhs_type, rhs_type, out_type = random.pick(TYPES)
    is_shared = random.pick((False, False, True))
    lhs_dims = random.shuffled(loops.of("b", "m", "k"))
    rhs_dims = random.shuffled(loops.of(*("nk" if is_shared else "bnk")))
    out_dims = random.shuffled(loops.of("b", "m", "n"))
    lhs = random_operands.operand(function, random, _spec(loops, lhs_dims, lhs_type))
    rhs = random_operands.operand(function, random, _spec(loops, rhs_dims, rhs_type))
    init = _init(function, random, loops, out_dims, out_type, (lhs, lhs_dims, rhs, rhs_dims))
    wide = np.float64 if out_type.startswith("f") else np.int64
    zero = (random.pick((0, 1)), random.pick((0, 0, -2))) if out_type == "i32" else (0, 0)
    array = np.einsum(
        lhs.array.astype(wide) - zero[0],
        lhs_dims,
        rhs.array.astype(wide) - zero[1],
        rhs_dims,
        out_dims,
    ) + init.array.astype(wide)
    value = function.result(array, out_type, init.sizes)
    maps = [map_text(len(loops.kinds), dims) for dims in (lhs_dims, rhs_dims, out_dims)]
    if not any(zero) and random.pick((False, True)) and out_type != "i64":
        return function.emit(
            value,
            f"linalg.contract indexing_maps = [{', '.join(maps)}] "
            f"ins({lhs.name}, {rhs.name} : {lhs.type}, {rhs.type}) "
            f"outs({init.name} : {init.type}) -> {value.type}",
        )
    body = _body(function, (lhs_type, rhs_type, out_type), zero, random.pick((0, 1)))
    reductions = frozenset(loops.of("k"))
    return function.generic(maps, [lhs, rhs], (init, value), body, reductions)


def _spec(loops: Loops, dims: Sequence[int], element: str) -> random_operands.Spec:
    return random_operands.Spec(
        tuple(loops.extents[d] for d in dims),
        tuple(loops.dynamic[d] for d in dims),
        element,
    )


def _init(function, random, loops, dims, element, sources) -> Tensor:
    """Zero, a number, a tensor, or a vector along the last dimension."""
    lhs, lhs_dims, rhs, rhs_dims = sources
    sizes = {d: s for d, s in zip(lhs_dims, lhs.sizes, strict=True)}
    for d, s in zip(rhs_dims, rhs.sizes, strict=True):
        sizes[d] = sizes.get(d) or s
    like = function.result(
        np.zeros([loops.extents[d] for d in dims]),
        element,
        [sizes[d] if loops.dynamic[d] else None for d in dims],
    )
    kind = random.pick(("zero", "zero", "zero", "number", "tensor", "bias"))
    if kind in ("zero", "number"):
        return function.fill(like, 0 if kind == "zero" else 3)
    spec = random_operands.Spec(like.shape, tuple(bool(s) for s in like.sizes), element)
    if kind == "tensor":
        return function.argument(random.integers(spec.shape), element, spec.dynamic)
    vector = function.argument(
        random.integers(spec.shape[-1:]), element, spec.dynamic[-1:]
    )
    value = function.result(np.broadcast_to(vector.array, like.shape), element, like.sizes)
    rank = len(like.shape)
    maps = [map_text(rank, [rank - 1]), map_text(rank, range(rank))]
    out = function.empty(value)
    return function.generic(maps, [vector], (out, value), lambda n: ([], n[0]))


def _body(function, types, zero, order):
    lhs_type, rhs_type, out_type = types

    def body(names: list[str]) -> tuple[list[str], str]:
        lines: list[str] = []
        kind = "f" if out_type.startswith("f") else "i"
        sides = []
        for name, element, point in zip(names, types, zero, strict=False):
            if element != out_type:
                cast = CASTS[(element, out_type)]
                lines.append(f"{name}c = {cast} {name} : {element} to {out_type}")
                name += "c"
            if point:
                lines.append(f"{name}p = arith.constant {point} : {out_type}")
                lines.append(f"{name}z = arith.subi {name}, {name}p : {out_type}")
                name += "z"
            sides.append(name)
        out = names[-1]
        lines.append(f"{out}m = arith.mul{kind} {sides[0]}, {sides[1]} : {out_type}")
        terms = f"{out}, {out}m" if order else f"{out}m, {out}"
        lines.append(f"{out}s = arith.add{kind} {terms} : {out_type}")
        return lines, f"{out}s"

    return body
