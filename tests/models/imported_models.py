# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose text was imported once, by import_torch.py and import_jax.py."""

import numpy as np

from models.built import TEXT, Built, random, sigmoid, softmax


def torch_block(tokens: int = 24) -> Built:
    """A transformer block from PyTorch, with a dynamic number of tokens."""
    width, heads, inner = 64, 4, 128
    (x,) = random(21, (2, tokens, width))
    shapes = [(3 * width, width), (width, width), (inner, width), (width, inner)]
    weights = [w / 8 for w in random(22, *shapes)]
    biases = random(23, *[(shape[0],) for shape in shapes])
    linear = [
        lambda y, w=w, b=b: y @ w.T + b for w, b in zip(weights, biases, strict=True)
    ]
    packed = linear[0](x).reshape(2, tokens, 3, heads, -1)
    query, key, value = packed.transpose(2, 0, 3, 1, 4)
    scores = query @ key.swapaxes(-1, -2) / (width // heads) ** 0.5
    causal = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    mixed = (softmax(causal) @ value).swapaxes(1, 2).reshape(x.shape)
    x1 = x + linear[1](mixed)
    expected = x1 + linear[3](_gelu_tanh(linear[2](x1)))
    pairs = [array for pair in zip(weights, biases, strict=True) for array in pair]
    return Built((TEXT / "torch_block.mlir").read_text(), (x, *pairs), expected)


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    return (x * (1 + np.tanh(inner)) / 2).astype(x.dtype)


def jax_block() -> Built:
    """Grouped-query attention and a gated feed-forward from JAX."""
    width, groups, size, inner, tokens = 64, 2, 16, 96, 40
    shapes = [(2, tokens, width), (width, groups * 2 * size), (width, groups * size)]
    x, query, key = random(24, *shapes)
    value, out = random(25, (width, groups * size), (groups * 2 * size, width))
    gate, up, down = random(26, (width, inner), (width, inner), (inner, width))
    q = (x @ query).reshape(2, tokens, groups, 2, size)
    k, v = ((x @ w).reshape(2, tokens, groups, size) for w in (key, value))
    scores = np.einsum("bqgrd,bkgd->bgrqk", q, k) * size**-0.5
    mixed = np.einsum("bgrqk,bkgd->bqgrd", softmax(scores), v)
    x1 = x + mixed.reshape(2, tokens, -1) @ out
    gated = x1 @ gate
    expected = x1 + (gated * sigmoid(gated) * (x1 @ up)) @ down
    split = (width, groups, size)
    inputs = (x, query.reshape(width, groups, 2, size), key.reshape(split))
    inputs += (value.reshape(split), out.reshape(groups, 2, size, width))
    inputs += (gate, up, down)
    return Built((TEXT / "jax_block.mlir").read_text(), inputs, expected)


def routed_experts() -> Built:
    """One token through the two of four experts that a router chooses, from JAX."""
    x, router, up, down = random(27, (1, 64), (64, 4), (4, 64, 96), (4, 96, 64))
    (gates,) = softmax(x @ router)
    expected = x
    for expert in np.argsort(-gates)[:2]:
        hidden = np.maximum(x @ up[expert], 0)
        expected = expected + gates[expert] * (hidden @ down[expert])
    text = (TEXT / "routed_experts.mlir").read_text()
    return Built(text, (x, router, up, down), expected)
