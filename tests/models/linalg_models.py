# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models written at the linalg level: experts and quantized layers."""

import numpy as np

from models.built import TEXT, Built, random

BLOCK = 32


def _text(name: str) -> str:
    return (TEXT / f"{name}.mlir").read_text()


def _linear(name: str, rows: int) -> str:
    """The text of a layer for one row, changed to another number of rows."""
    return (
        _text(name)
        .replace("tensor<1x", f"tensor<{rows}x")
        .replace("output_shape [1,", f"output_shape [{rows},")
    )


def grouped_experts() -> Built:
    """Tokens sorted by expert: one product an expert, over rows known at run time."""
    x, up, down = random(11, (40, 32), (3, 32, 64), (3, 64, 32))
    starts = np.array([0, 7, 19, 40], np.int32)
    expected = np.zeros_like(x)
    for expert in range(3):
        rows = slice(starts[expert], starts[expert + 1])
        expected[rows] = np.maximum(x[rows] @ up[expert], 0) @ down[expert]
    return Built(_text("grouped_experts"), (x, starts, up, down), expected)


def padded_experts() -> Built:
    """Every expert has room for as many tokens: batched products with a gate."""
    x, up, down = random(12, (4, 12, 32), (4, 32, 64), (4, 64, 32))
    gate = np.linspace(0, 1, 48, dtype=np.float32).reshape(4, 12)
    expected = np.maximum(x @ up, 0) @ down * gate[..., None]
    return Built(_text("padded_experts"), (x, up, down, gate), expected)


def zero_points() -> Built:
    """linalg.quantized_matmul, and the scale and rounding to 8 bits after it."""
    rng = np.random.default_rng(13)
    a, b = (rng.integers(-128, 128, s, np.int8) for s in ((24, 80), (80, 40)))
    zeros = [np.array(zero, np.int32) for zero in (-5, 17)]
    wide = (a.astype(np.int32) - zeros[0]) @ (b.astype(np.int32) - zeros[1])
    levels = np.rint(wide.astype(np.float32) * np.float32(2**-11))
    expected = np.clip(levels, -128, 127).astype(np.int8)
    return Built(_text("zero_points"), (a, b, *zeros), expected)


def q8_linear(rows: int = 1) -> Built:
    """Weights in blocks of 32 signed bytes, each block with a scale in f16."""
    width, outputs = 128, 96
    (x,) = random(14, (rows, width))
    rng = np.random.default_rng(15)
    blocks = (outputs, width // BLOCK)
    weights = rng.integers(-127, 128, (*blocks, BLOCK), np.int8)
    scales = rng.uniform(1e-3, 1e-2, blocks).astype(np.float16)
    real = weights * scales.astype(np.float32)[..., None]
    expected = x @ real.reshape(outputs, width).T
    return Built(_linear("q8_linear", rows), (x, weights, scales), expected)


def q4_linear(rows: int = 1) -> Built:
    """Weights in blocks of 32 nibbles: 16 low ones, 16 high ones, minus 8."""
    width, outputs = 128, 96
    (x,) = random(16, (rows, width))
    rng = np.random.default_rng(17)
    blocks = (outputs, width // BLOCK)
    packed = rng.integers(-128, 128, (*blocks, BLOCK // 2), np.int8)
    scales = rng.uniform(1e-2, 1e-1, blocks).astype(np.float16)
    levels = np.stack([packed & 15, packed >> 4 & 15], axis=2) - np.int8(8)
    real = levels * scales.astype(np.float32)[..., None, None]
    expected = x @ real.reshape(outputs, width).T
    return Built(_linear("q4_linear", rows), (x, packed, scales), expected)
