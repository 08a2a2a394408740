# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks as MLIR, weights as parameters that are made where they run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.neighbors import sample_module
from benchmarks.random_network import RandomNetwork

_sample = sample_module("network")

_TOKENS = ("input_ids", "attention_mask")
_PREVIOUS = "previous"
"""An embedding that the result does not depend on: it puts one run after another."""
_NEVER = {"f32": 1e30, "f16": 6e4}
_LEAST_PARAMETER = 100
_POSITIONS = 512


_VOCABULARY = 30522
_HEADS = 12
_EPSILON = 1e-12


@dataclass(frozen=True)
class Network:
    """A BERT encoder of a size, for `batch` sentences of `length` tokens."""

    name: str
    layers: int
    hidden: int
    type: str = "f32"
    batch: int = 1
    length: int = 128

    @property
    def title(self) -> str:
        return f"{self.name}-{self.type}-{self.batch}x{self.length}"

    @property
    def inner(self) -> int:
        return 4 * self.hidden

    def random(self, shapes: Mapping[str, tuple[int, ...]]) -> RandomNetwork:
        """The same with parameters of these shapes."""
        return RandomNetwork(
            self.type,
            self.batch,
            self.length,
            _VOCABULARY,
            self.layers,
            self.hidden,
            _HEADS,
            _EPSILON,
            shapes,
        )


@dataclass(frozen=True)
class Imported:
    """MLIR text and the shapes of its parameters by name."""

    text: str
    parameters: Mapping[str, tuple[int, ...]]


def gpu() -> Iterator[Network]:
    """MiniLM-L6 and BERT-base, in the sizes of their papers."""
    for size in (("minilm-l6", 6, 384), ("bert-base", 12, 768)):
        for type_ in ("f32", "f16"):
            for batch in (1, 8):
                yield Network(*size, type_, batch)


def cpu() -> Iterator[Network]:
    """MiniLM-L6 on a short sentence."""
    yield Network("minilm-l6", 6, 384, length=16)


class _OpenGraph(_sample.Graph):
    """A graph whose weights are inputs, so that no file has to hold them."""

    def __init__(self, dtype: np.dtype):
        super().__init__(dtype)
        self.parameters: dict[str, tuple[int, ...]] = {}

    def _constant(self, name: str, value: np.ndarray) -> str:
        if value.size < _LEAST_PARAMETER:
            return super()._constant(name, value)
        self.parameters[name] = value.shape
        return name


def import_network(network: Network, folder: Path) -> Imported:
    """The network by way of ONNX, as a user's would come."""
    graph = _OpenGraph(np.dtype(np.float16 if network.type == "f16" else np.float32))
    _emit(graph, network)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{network.title}.onnx"
    onnx.save(_model(graph, network), source)
    command = [
        *(sys.executable, "-m", "iree.compiler.tools.import_onnx", str(source)),
        *("--externalize-params", "--no-save-params"),
        *("--externalize-inputs-threshold", str(len(_TOKENS) + 1), "-o", "-"),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Imported(done.stdout, graph.parameters)


def _emit(graph: _OpenGraph, network: Network) -> None:
    bert = _sample.Bert(graph, _weights(network), _shape(network))
    element = helper.np_dtype_to_tensor_dtype(graph.dtype)
    mask = graph.op("Cast", "attention_mask", to=element)
    ids = graph.op("Add", "input_ids", _zero_of_previous(graph, network))
    x, bias = bert.embed(ids, network.length), bert.bias_of_mask(mask)
    for index in range(network.layers):
        x = bert.layer(x, bias, index)
    graph.op("Identity", bert.pool(x, mask))
    graph.nodes[-1].output[0] = "embedding"


def _zero_of_previous(graph: _OpenGraph, network: Network) -> str:
    """Zeros, one a sentence, that a compiler cannot know to be that."""
    largest = graph.op("ReduceMax", _PREVIOUS, axes=[1], keepdims=1)
    is_never = graph.op("Greater", largest, graph.scalar(_NEVER[network.type]))
    return graph.op("Cast", is_never, to=TensorProto.INT64)


def _shape(network: Network) -> Any:
    shape = sample_module("weights").Shape
    return shape(network.layers, network.hidden, _HEADS, _EPSILON)


def _weights(network: Network) -> dict[str, np.ndarray]:
    """Arrays of the right shapes that take no memory: one element, repeated."""
    hidden, inner = network.hidden, network.inner
    shapes = {
        "embeddings.word_embeddings.weight": (_VOCABULARY, hidden),
        "embeddings.position_embeddings.weight": (_POSITIONS, hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        **_norm("embeddings.LayerNorm", hidden),
    }
    for index in range(network.layers):
        at = f"encoder.layer.{index}"
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _linear(f"{at}.attention.{name}", hidden, hidden)
        shapes |= _linear(f"{at}.intermediate.dense", inner, hidden)
        shapes |= _linear(f"{at}.output.dense", hidden, inner)
        shapes |= _norm(f"{at}.attention.output.LayerNorm", hidden)
        shapes |= _norm(f"{at}.output.LayerNorm", hidden)
    return {n: np.broadcast_to(np.float32(0), shape) for n, shape in shapes.items()}


def _linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _norm(name: str, size: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (size,), f"{name}.bias": (size,)}


def _model(graph: _OpenGraph, network: Network) -> onnx.ModelProto:
    info = helper.make_tensor_value_info
    element = helper.np_dtype_to_tensor_dtype(graph.dtype)
    tokens = [network.batch, network.length]
    inputs = [info(name, TensorProto.INT64, tokens) for name in _TOKENS]
    embedding = [network.batch, network.hidden]
    inputs.append(info(_PREVIOUS, element, embedding))
    inputs += [info(n, element, shape) for n, shape in graph.parameters.items()]
    output = info("embedding", element, embedding)
    body = helper.make_graph(
        graph.nodes, "main", inputs, [output], [*graph.initializers.values()]
    )
    return helper.make_model(
        body, opset_imports=[helper.make_opsetid("", _sample.OPSET)], ir_version=8
    )
