# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions over tensors as MLIR text, and computes them with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

Body = Callable[[list[str]], tuple[list[str], str]]
"""The lines of a generic's body and what it yields, from its arguments' names."""

DTYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
}


@dataclass(frozen=True)
class Tensor:
    """A value: its name, what it holds, and the names of its dynamic sizes."""

    name: str
    array: np.ndarray
    sizes: tuple[str | None, ...]
    element: str

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def type(self) -> str:
        dims = [
            "?" if size else str(n)
            for n, size in zip(self.shape, self.sizes, strict=True)
        ]
        return f"tensor<{'x'.join([*dims, self.element])}>"


@dataclass
class Function:
    """A function under construction."""

    name: str
    arguments: list[Tensor] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = 0
    has_sum: bool = False
    parts: dict[str, list[tuple[str | None, int]]] = field(default_factory=dict)
    """The name and value of the sizes of which a dynamic size is the product."""

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def argument(
        self, array: np.ndarray, element: str, dynamic: Sequence[bool]
    ) -> Tensor:
        """A parameter; dimensions marked dynamic have their size at run time alone."""
        name = f"%arg{len(self.arguments)}"
        sizes = tuple(self.fresh() if d else None for d in dynamic)
        value = Tensor(name, array.astype(DTYPES[element]), sizes, element)
        self.arguments.append(value)
        for axis, size in enumerate(sizes):
            if size:
                index = self.scalar("index", axis)
                self.lines.append(f"{size} = tensor.dim {name}, {index} : {value.type}")
        return value

    def element_index(self, number: int, element: str, place: str | None = None) -> str:
        """An index that is the second element of a tensor."""
        numbers = self.argument(np.array([9, number]), element, [False])
        place = place or self.scalar("index", 1)
        read, name = self.fresh(), self.fresh()
        self.lines += [
            f"{read} = tensor.extract {numbers.name}[{place}] : {numbers.type}",
            f"{name} = arith.index_cast {read} : {element} to index",
        ]
        return name

    def size_index(self, number: int) -> str:
        """An index that is a size but for one, which the host has."""
        argument = self.argument(np.zeros(number + 1), "i8", [True])
        assert argument.sizes[0] is not None
        return self.arithmetic("subi", argument.sizes[0], self.scalar("index", 1))

    def arithmetic(self, name: str, lhs: str, rhs: str) -> str:
        """A binary operation of two index values."""
        result = self.fresh()
        self.lines.append(f"{result} = arith.{name} {lhs}, {rhs} : index")
        return result

    def scalar(self, type_: str, value: float | str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = arith.constant {value} : {type_}")
        return name

    def result(
        self, array: np.ndarray, element: str, sizes: Sequence[str | None]
    ) -> Tensor:
        data = array.astype(DTYPES[element])
        return Tensor(self.fresh(), data, tuple(sizes), element)

    def emit(self, value: Tensor, text: str) -> Tensor:
        self.lines.append(f"{value.name} = {text}")
        return value

    def empty(self, like: Tensor) -> Tensor:
        value = self.result(like.array, like.element, like.sizes)
        sizes = ", ".join(size for size in like.sizes if size)
        return self.emit(value, f"tensor.empty({sizes}) : {value.type}")

    def constant(self, shape: tuple[int, ...], element: str, number: int) -> Tensor:
        value = self.result(np.full(shape, number), element, [None] * len(shape))
        literal = f"{number}.0" if element.startswith("f") else number
        return self.emit(value, f"arith.constant dense<{literal}> : {value.type}")

    def fill(self, like: Tensor, number: int) -> Tensor:
        out = self.empty(like)
        literal = f"{number}.0" if like.element.startswith("f") else number
        scalar = self.scalar(like.element, literal)
        value = self.result(np.full(like.shape, number), like.element, like.sizes)
        return self.emit(
            value,
            f"linalg.fill ins({scalar} : {like.element}) "
            f"outs({out.name} : {out.type}) -> {value.type}",
        )

    def generic(
        self,
        maps: Sequence[str],
        inputs: Sequence[Tensor],
        output: tuple[Tensor, Tensor],
        body: Body,
        reductions: frozenset[int] = frozenset(),
    ) -> Tensor:
        """`output` is what goes in as outs and the value that comes out."""
        out, value = output
        n_dims = maps[0].split("->")[0].count("d")
        kinds = [
            '"reduction"' if d in reductions else '"parallel"' for d in range(n_dims)
        ]
        names = [f"%b{self.count}_{n}" for n in range(len(inputs) + 1)]
        self.count += 1
        elements = [t.element for t in (*inputs, out)]
        lines, result = body(names)
        arguments = ", ".join(f"{n}: {e}" for n, e in zip(names, elements, strict=True))
        operands = ", ".join(t.name for t in inputs)
        types = ", ".join(t.type for t in inputs)
        ins = f"ins({operands} : {types}) " if inputs else ""
        return self.emit(
            value,
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{', '.join(kinds)}]}} {ins}"
            f"outs({out.name} : {out.type}) {{\n  ^bb0({arguments}):\n"
            + "".join(f"    {line}\n" for line in lines)
            + f"    linalg.yield {result} : {value.element}\n  }} -> {value.type}",
        )

    def text(self, results: Sequence[Tensor]) -> str:
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        values = ", ".join(r.name for r in results)
        body = "\n  ".join(self.lines)
        return (
            f"func.func @{self.name}({arguments}) -> ({types}) {{\n  {body}\n"
            f"  return {values} : {types}\n}}\n"
        )


def map_text(n_dims: int, indices: Sequence[int]) -> str:
    dims = ", ".join(f"d{n}" for n in range(n_dims))
    return f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in indices)})>"


def elementwise(
    function: Function,
    inputs: Sequence[Tensor],
    result: tuple[str, np.ndarray],
    body: Body,
    axes: Sequence[Sequence[int]] | None = None,
) -> Tensor:
    """A generic over the first input's shape; `axes` says which dims inputs have.

    `result` is the element type and what comes out.
    """
    element, array = result
    like = inputs[0]
    rank = len(like.shape)
    axes = axes or [range(rank)] * len(inputs)
    value = function.result(array, element, like.sizes)
    out = function.empty(value)
    maps = [map_text(rank, a) for a in (*axes, range(rank))]
    return function.generic(maps, inputs, (out, value), body)
