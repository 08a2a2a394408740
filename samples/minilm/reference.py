# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward pass of MiniLM in NumPy, to compare with."""

import math
from collections.abc import Mapping

import numpy as np
from weights import Weights

_erf = np.vectorize(math.erf, otypes=[np.float32])


def embed(weights: Weights, ids: np.ndarray) -> np.ndarray:
    """The embedding of one sentence of 1 x tokens, without padding."""
    tensors, shape = weights.tensors, weights.shape
    x = _embeddings(tensors, ids[0], shape.epsilon)
    for index in range(shape.layers):
        layer = _scope(tensors, f"encoder.layer.{index}.")
        mixed = _attention(layer, x, shape.heads)
        at = "attention.output"
        x = _layer_norm(layer, f"{at}.LayerNorm", mixed + x, shape.epsilon)
        inner = _gelu(_linear(layer, "intermediate.dense", x))
        outer = _linear(layer, "output.dense", inner)
        x = _layer_norm(layer, "output.LayerNorm", outer + x, shape.epsilon)
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _scope(tensors: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _embeddings(tensors, ids: np.ndarray, epsilon: float) -> np.ndarray:
    words, positions, types = (
        tensors[f"embeddings.{kind}_embeddings.weight"]
        for kind in ("word", "position", "token_type")
    )
    total = words[ids] + positions[: len(ids)] + types[0]
    return _layer_norm(tensors, "embeddings.LayerNorm", total, epsilon)


def _linear(tensors, name: str, x: np.ndarray) -> np.ndarray:
    return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def _layer_norm(tensors, name: str, x: np.ndarray, epsilon: float) -> np.ndarray:
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(centered).mean(axis=-1, keepdims=True)
    scale, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    return centered / np.sqrt(variance + epsilon) * scale + bias


def _gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + _erf(x / math.sqrt(2))) / 2


def _attention(tensors, x: np.ndarray, heads: int) -> np.ndarray:
    query, key, value = (
        np.stack(np.split(_linear(tensors, f"attention.self.{name}", x), heads, 1))
        for name in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    joined = np.concatenate(list(weights @ value), axis=1)
    return _linear(tensors, "attention.output.dense", joined)
