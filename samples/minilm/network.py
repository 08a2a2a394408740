# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds all-MiniLM-L6-v2 as an ONNX graph, op for op as PyTorch exports BERT."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from weights import Shape, Weights

OPSET = 17
# Added to the scores of padding: large enough that their softmax is exactly 0.
MASKED = -10000.0


class Graph:
    """Collects nodes and initializers; values are known by their ONNX names."""

    def __init__(self, dtype: np.dtype):
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        """Adds a node with one result and returns the name of the result."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, name: str, value: np.ndarray) -> str:
        """Adds an initializer in the type of the graph, once for each name."""
        return self._constant(name, value.astype(self.dtype))

    def scalar(self, value: float) -> str:
        """Adds a scalar in the type of the graph."""
        return self.weight(f"scalar_{value!r}", np.array(value))

    def integers(self, *values: int) -> str:
        """Adds a vector of indices."""
        name = "integers_" + "_".join(map(str, values))
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, value: np.ndarray) -> str:
        if name not in self.initializers:
            tensor = numpy_helper.from_array(np.ascontiguousarray(value), name)
            self.initializers[name] = tensor
        return name


@dataclass(frozen=True)
class Bert:
    """Emits the parts of the encoder into a graph."""

    graph: Graph
    weights: Mapping[str, np.ndarray]
    shape: Shape

    def linear(self, x: str, name: str) -> str:
        """x times the transposed weight (stored so by every exporter) plus bias."""
        op, weight = self.graph.op, self.weights[f"{name}.weight"]
        product = op("MatMul", x, self.graph.weight(f"{name}.weight", weight.T))
        bias = self.graph.weight(f"{name}.bias", self.weights[f"{name}.bias"])
        return op("Add", product, bias)

    def layer_norm(self, x: str, name: str) -> str:
        """Normalizes the last dimension."""
        names = [f"{name}.weight", f"{name}.bias"]
        scale, bias = (self.graph.weight(n, self.weights[n]) for n in names)
        return self.graph.op(
            "LayerNormalization", x, scale, bias, axis=-1, epsilon=self.shape.epsilon
        )

    def gelu(self, x: str) -> str:
        """The exact form: x / 2 * (1 + erf(x / sqrt(2)))."""
        op, scalar = self.graph.op, self.graph.scalar
        erf = op("Erf", op("Div", x, scalar(2.0**0.5)))
        return op("Mul", op("Mul", x, op("Add", erf, scalar(1.0))), scalar(0.5))

    def embed(self, ids: str, length: int | None) -> str:
        """Words, positions and the one token type, normalized."""
        op, tables = self.graph.op, "embeddings.{}_embeddings.weight"
        words, positions, types = (
            self.weights[tables.format(kind)]
            for kind in ("word", "position", "token_type")
        )
        gathered = op("Gather", self.graph.weight("words", words), ids)
        typed = op("Add", gathered, self.graph.weight("type", types[0]))
        if length is None:
            size = op("Slice", op("Shape", ids), *map(self.graph.integers, (1, 2)))
            table = self.graph.weight("positions", positions)
            zero = self.graph.integers(0)
            place = op("Slice", table, zero, size, zero)
        else:
            place = self.graph.weight("positions", positions[:length])
        return self.layer_norm(op("Add", typed, place), "embeddings.LayerNorm")

    def heads(self, x: str, order: tuple[int, ...]) -> str:
        """Splits the hidden dimension into heads and permutes."""
        split = self.graph.integers(0, -1, self.shape.heads, self.shape.head_size)
        return self.graph.op(
            "Transpose", self.graph.op("Reshape", x, split), perm=order
        )

    def attention(self, x: str, mask: str, name: str) -> str:
        """Multi-head self-attention with its output projection."""
        op, at = self.graph.op, f"{name}.self"
        query = self.heads(self.linear(x, f"{at}.query"), (0, 2, 1, 3))
        key = self.heads(self.linear(x, f"{at}.key"), (0, 2, 3, 1))
        value = self.heads(self.linear(x, f"{at}.value"), (0, 2, 1, 3))
        scale = self.graph.scalar(self.shape.head_size**0.5)
        scores = op("Add", op("Div", op("MatMul", query, key), scale), mask)
        mixed = op("MatMul", op("Softmax", scores, axis=-1), value)
        joined = op("Transpose", mixed, perm=(0, 2, 1, 3))
        flat = op("Reshape", joined, self.graph.integers(0, -1, self.shape.hidden))
        return self.linear(flat, f"{name}.output.dense")

    def layer(self, x: str, mask: str, index: int) -> str:
        """Attention and feed-forward, each with its residual and normalization."""
        name, op = f"encoder.layer.{index}", self.graph.op
        mixed = op("Add", self.attention(x, mask, f"{name}.attention"), x)
        x = self.layer_norm(mixed, f"{name}.attention.output.LayerNorm")
        inner = self.gelu(self.linear(x, f"{name}.intermediate.dense"))
        outer = op("Add", self.linear(inner, f"{name}.output.dense"), x)
        return self.layer_norm(outer, f"{name}.output.LayerNorm")

    def bias_of_mask(self, mask: str) -> str:
        """0 where there is a token and a large negative number where there is none."""
        op = self.graph.op
        wide = op("Unsqueeze", mask, self.graph.integers(1, 2))
        padding = op("Sub", self.graph.scalar(1.0), wide)
        return op("Mul", padding, self.graph.scalar(MASKED))

    def pool(self, x: str, mask: str) -> str:
        """The mean over the tokens, scaled to length 1."""
        op = self.graph.op
        weight = op("Unsqueeze", mask, self.graph.integers(2))
        axes = self.graph.integers(1)
        total = op("ReduceSum", op("Mul", x, weight), axes, keepdims=0)
        mean = op("Div", total, op("ReduceSum", weight, axes, keepdims=0))
        return op("Div", mean, op("ReduceL2", mean, axes=[1], keepdims=1))


def build(weights: Weights, length: int | None, dtype=np.float32) -> onnx.ModelProto:
    """The network for `length` tokens, or for any number of tokens where None."""
    dtype = np.dtype(dtype)
    graph = Graph(dtype)
    bert = Bert(graph, weights.tensors, weights.shape)
    element = helper.np_dtype_to_tensor_dtype(dtype)
    mask = graph.op("Cast", "attention_mask", to=element)
    x, bias = bert.embed("input_ids", length), bert.bias_of_mask(mask)
    for index in range(weights.shape.layers):
        x = bert.layer(x, bias, index)
    graph.nodes[-1].output[0] = "hidden"
    graph.op("Identity", bert.pool("hidden", mask))
    graph.nodes[-1].output[0] = "embedding"
    return _model(graph, length or "tokens", weights.shape.hidden)


def _model(graph: Graph, length: int | str, hidden: int) -> onnx.ModelProto:
    tokens = [1, length]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, tokens)
        for name in ("input_ids", "attention_mask")
    ]
    element = helper.np_dtype_to_tensor_dtype(graph.dtype)
    output = helper.make_tensor_value_info("embedding", element, [1, hidden])
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "main", inputs, [output], [*graph.initializers.values()]
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=8,
    )
