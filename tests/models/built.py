# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model of the corpus is made of, and how its parts are made."""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TEXT = Path(__file__).parent / "text"


@dataclass(frozen=True)
class Built:
    """A model ready to compile: MLIR text, the inputs of `main`, and its result."""

    source: str
    inputs: tuple[np.ndarray, ...]
    expected: np.ndarray


def random(seed: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Normal numbers in f32, a matrix scaled so that a product keeps their size."""
    rng = np.random.default_rng(seed)
    arrays = []
    for shape in shapes:
        scale = shape[-2] ** -0.5 if len(shape) > 1 else 1.0
        arrays.append((rng.standard_normal(shape) * scale).astype(np.float32))
    return arrays


def softmax(scores: np.ndarray) -> np.ndarray:
    """Over the last dimension."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def import_onnx(model) -> str:
    """The MLIR text of an ONNX model, from IREE's importer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        importer = [sys.executable, "-m", "iree.compiler.tools.import_onnx"]
        return subprocess.run(
            [*importer, str(path)], check=True, stdout=subprocess.PIPE, text=True
        ).stdout


def weights_as_inputs(model) -> tuple[np.ndarray, ...]:
    """Turns the weights of an ONNX model into inputs and returns them in order.

    Text with weights would be too large for the tests; scalars and indices stay.
    """
    from onnx import helper, numpy_helper

    graph, arrays = model.graph, []
    for tensor in [t for t in graph.initializer if t.dims and np.prod(t.dims) > 8]:
        info = helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        graph.input.append(info)
        arrays.append(numpy_helper.to_array(tensor))
        graph.initializer.remove(tensor)
    return tuple(arrays)
