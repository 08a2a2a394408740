# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the models, and how many of their products the plugin takes."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from models.built import Built


@dataclass(frozen=True)
class Model:
    """A model by the function that builds it.

    `products` and `taken` are the tracked share; `bound` is the largest error
    against the reference, relative to the largest element.
    """

    name: str
    builder: str
    products: int
    taken: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    bound: float = 1e-5

    def build(self) -> Built:
        """Builds the model: text, inputs and expected result."""
        module, function = self.builder.split(".")
        builder = getattr(importlib.import_module(f"models.{module}"), function)
        return builder(**self.arguments)

    def __str__(self) -> str:
        return self.name


MODELS = (
    Model("minilm", "onnx_models.minilm", 16, 16),
    Model("minilm-any", "onnx_models.minilm", 8, 8, {"layers": 1, "length": None}),
    Model(
        "minilm-f16",
        "onnx_models.minilm",
        8,
        8,
        {"layers": 1, "dtype": "float16"},
        bound=8e-3,
    ),
    Model("gemm-mlp", "onnx_models.gemm_mlp", 5, 5),
    Model("vit-block", "onnx_models.vit_block", 6, 6),
    Model("whisper-step", "onnx_models.whisper_step", 4, 4),
    Model("lstm", "onnx_models.lstm", 8, 8),
    Model("integer-linear", "onnx_models.integer_linear", 1, 1),
    Model("torch-block", "imported_models.torch_block", 6, 6),
    Model("jax-block", "imported_models.jax_block", 9, 9),
    Model("routed-experts", "imported_models.routed_experts", 5, 5),
    Model("grouped-experts", "linalg_models.grouped_experts", 2, 2),
    Model("padded-experts", "linalg_models.padded_experts", 2, 2),
    Model("zero-points", "linalg_models.zero_points", 1, 1, bound=0),
    Model("q8-one-row", "linalg_models.q8_linear", 1, 1),
    Model("q8-rows", "linalg_models.q8_linear", 1, 1, {"rows": 12}),
    Model("q4-one-row", "linalg_models.q4_linear", 1, 1),
    Model("q4-rows", "linalg_models.q4_linear", 1, 1, {"rows": 12}),
)
