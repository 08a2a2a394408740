# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row by the weights of experts in turn, as in the steps of a decoder.

Imports no compiler: the machine that measures makes the inputs and checks the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_CHOICE = """\
    %slice{n} = tensor.extract_slice %x{n}[0, {at}] [1, 1] [1, 1] : {row} to tensor<f16>
    %empty{n} = tensor.empty() : tensor<i32>
    %choice{n} = linalg.generic {{indexing_maps = [affine_map<() -> ()>,
        affine_map<() -> ()>], iterator_types = []}}
        ins(%slice{n} : tensor<f16>) outs(%empty{n} : tensor<i32>) {{
    ^bb0(%e: f16, %o: i32):
      %i = arith.fptosi %e : f16 to i32
      %m = arith.andi %i, %mask : i32
      linalg.yield %m : i32
    }} -> tensor<i32>
    %element{n} = tensor.extract %choice{n}[] : tensor<i32>
    %at{n} = arith.index_cast %element{n} : i32 to index"""
_TURN = """\
    %turn{n} = arith.constant {n} : index
    %next{n} = arith.addi %first, %turn{n} : index
    %at{n} = arith.remui %next{n}, %count : index"""
_LAYER = """\
    %b{n} = tensor.extract_slice %w[%at{n}, 0, 0] [1, {width}, {width}] [1, 1, 1]
        : {weights} to {weight}
    %y{n} = linalg.matmul ins(%x{n}, %b{n} : {row}, {weight})
        outs(%fill : {sums}) -> {sums}
    %x{next} = arith.truncf %y{n} : {sums} to {row}"""
_FUNCTION = """\
func.func @{name}(%x0: {row}, %w: {weights}, %sized: tensor<?xi32>) -> {row} {{
    %zero = arith.constant 0 : index
    %count = arith.constant {count} : index
    %mask = arith.constant {mask} : i32
    %first = tensor.dim %sized, %zero : tensor<?xi32>
    %none = arith.constant 0.0 : f32
    %empty = tensor.empty() : {sums}
    %fill = linalg.fill ins(%none : f32) outs(%empty : {sums}) -> {sums}
{layers}
    return %x{number} : {row}
}}
"""
_ELEMENT = 7
"""Of the row, which chooses; any will do."""
_FIRST = 3


@dataclass(frozen=True)
class Experts:
    """Layers of `count` weights of `width` x `width` in f16, one of them taken.

    `index` says who knows which: `host`, from the size of an argument, or `device`,
    from an element of the row before. `count` is a power of two.
    """

    index: str
    width: int = 4096
    count: int = 8

    @property
    def name(self) -> str:
        return f"experts-{self.index}"

    @property
    def flops(self) -> int:
        return 2 * self.width**2

    @property
    def bytes(self) -> int:
        return 2 * self.width**2

    def text(self, name: str, layers: int) -> str:
        """A function that takes the row, the weights, and a tensor of some size."""
        types = {
            "row": f"tensor<1x{self.width}xf16>",
            "sums": f"tensor<1x{self.width}xf32>",
            "weight": f"tensor<{self.width}x{self.width}xf16>",
            "weights": f"tensor<{self.count}x{self.width}x{self.width}xf16>",
            "width": self.width,
        }
        choice = _CHOICE if self.index == "device" else _TURN
        lines = [
            part.format(n=n, next=n + 1, at=_ELEMENT, **types)
            for n in range(layers)
            for part in (choice, _LAYER)
        ]
        return _FUNCTION.format(
            name=name,
            layers="\n".join(lines),
            number=layers,
            count=self.count,
            mask=self.count - 1,
            **types,
        )

    def inputs(self) -> list[np.ndarray]:
        """Small integers, and weights that move them about: results are exact."""
        random = np.random.default_rng(1)
        row = random.integers(0, self.count, (1, self.width)).astype(np.float16)
        shape = (self.count, self.width, self.width)
        weights = np.zeros(shape, np.float16)
        for weight, order in zip(weights, self._orders(), strict=True):
            weight[order, np.arange(self.width)] = 1
        return [row, weights, np.zeros(_FIRST, np.int32)]

    def expected(self, row: np.ndarray, layers: int) -> np.ndarray:
        """The row after the layers."""
        orders = list(self._orders())
        for n in range(layers):
            is_host = self.index == "host"
            chosen = _FIRST + n if is_host else int(row[0, _ELEMENT])
            row = row[:, orders[chosen % self.count]]
        return row

    def _orders(self) -> Iterator[np.ndarray]:
        random = np.random.default_rng(2)
        return (random.permutation(self.width) for _ in range(self.count))


EXPERTS = (Experts("host"), Experts("device"))
