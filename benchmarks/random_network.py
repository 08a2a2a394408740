# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A BERT encoder whose weights are a function of their names, so none travel."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.neighbors import sample_module

_STANDARD_DEVIATION = 0.02
# Of all elements by the largest; f16 has no reference but the rounded network in f32.
_BOUNDS = {"f32": 1e-4, "f16": 2e-2}
_TABLES = {"words": "word", "positions": "position", "type": "token_type"}


@dataclass(frozen=True)
class RandomNetwork:
    """Sizes of the network and the shapes of its parameters by name."""

    type: str
    batch: int
    length: int
    vocabulary: int
    layers: int
    hidden: int
    heads: int
    epsilon: float
    shapes: Mapping[str, Sequence[int]]

    @property
    def bound(self) -> float:
        return _BOUNDS[self.type]

    def ids(self) -> np.ndarray:
        """Different tokens for each sentence, none of them padding."""
        size = (self.batch, self.length)
        return np.random.default_rng(1).integers(1, self.vocabulary, size, np.int64)

    def parameters(self) -> dict[str, np.ndarray]:
        dtype = np.float16 if self.type == "f16" else np.float32
        return {name: a.astype(dtype) for name, a in self._drawn.items()}

    def expected(self, ids: np.ndarray) -> np.ndarray:
        """The embeddings of the first and the last sentence, by NumPy in float32."""
        weights = sample_module("weights")
        shape = weights.Shape(self.layers, self.hidden, self.heads, self.epsilon)
        given = weights.Weights(shape, self._as_pytorch())
        embed = sample_module("reference").embed
        return np.stack([embed(given, row[None]) for row in (ids[0], ids[-1])])

    @cached_property
    def _drawn(self) -> dict[str, np.ndarray]:
        return {name: _draw(name, shape) for name, shape in self.shapes.items()}

    def _as_pytorch(self) -> dict[str, np.ndarray]:
        """By the names of PyTorch, which stores the transposed weight."""
        tensors = {}
        for name, array in self.parameters().items():
            wide = array.astype(np.float32)
            if name in _TABLES:
                table = f"embeddings.{_TABLES[name]}_embeddings.weight"
                tensors[table] = wide[None] if name == "type" else wide
            else:
                tensors[name] = wide.T
        return tensors


def _draw(name: str, shape: Sequence[int]) -> np.ndarray:
    random = np.random.default_rng(zlib.crc32(name.encode()))
    drawn = random.standard_normal(tuple(shape), np.float32) * _STANDARD_DEVIATION
    return drawn + 1 if name.endswith("LayerNorm.weight") else drawn
