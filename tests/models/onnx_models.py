# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are built as ONNX and go through IREE's importer."""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

from models.built import Built, import_onnx, random, sigmoid, softmax, weights_as_inputs

sys.path.append(str(Path(__file__).parents[2] / "samples" / "minilm"))
import network
import reference
from weights import Shape, Weights

WORDS, POSITIONS = 100, 32


def minilm(length: int | None = 16, layers: int = 2, dtype=np.float32) -> Built:
    """MiniLM of the sample with fewer layers and random weights."""
    weights = _random_bert(Shape(layers, 384, 12, 1e-12), inner=1536)
    model = network.build(weights, length, dtype)
    arguments = weights_as_inputs(model)
    tokens = length or 21
    ids = np.arange(tokens, dtype=np.int64)[None] * 7 % WORDS
    inputs = (ids, np.ones_like(ids), *arguments)
    return Built(import_onnx(model), inputs, reference.embed(weights, ids)[None])


def _random_bert(shape: Shape, inner: int) -> Weights:
    width, tensors = shape.hidden, {}

    def add(name: str, *sizes: int) -> None:
        tensor = random(len(tensors), sizes[::-1])[0].T
        tensors[f"{name}.weight"] = tensor.astype(np.float16).astype(np.float32)

    def add_biased(name: str, *sizes: int) -> None:
        add(name, *sizes)
        tensors[f"{name}.bias"] = np.full(sizes[0], 0.125, np.float32)

    for kind, rows in (("word", WORDS), ("position", POSITIONS), ("token_type", 2)):
        add(f"embeddings.{kind}_embeddings", rows, width)
    add_biased("embeddings.LayerNorm", width)
    for index in range(shape.layers):
        at = f"encoder.layer.{index}"
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            add_biased(f"{at}.attention.{name}", width, width)
        add_biased(f"{at}.attention.output.LayerNorm", width)
        add_biased(f"{at}.intermediate.dense", inner, width)
        add_biased(f"{at}.output.dense", width, inner)
        add_biased(f"{at}.output.LayerNorm", width)
    return Weights(shape, tensors)


def gemm_mlp() -> Built:
    """Every attribute of Gemm, and every shape that its C may have."""
    rows = 20
    a, *weights = random(1, (24, rows), (24, 40), (33, 40), (33, 17), (17, 17), (8, 17))
    row, column, full = random(2, (40,), (rows, 1), (rows, 17))
    scalar = np.array([0.25], np.float32)
    layers = (
        ({"transA": 1, "alpha": 0.5}, weights[0], row),
        ({"transB": 1, "beta": 2.0}, weights[1], column),
        ({"alpha": 1.5, "beta": 0.5}, weights[2], full),
        ({}, weights[3], scalar),
        ({"transB": 1, "alpha": -1.0}, weights[4], None),
    )
    graph = network.Graph(np.dtype(np.float32))
    x, value = "x", a
    for index, (attributes, b, c) in enumerate(layers):
        names = [graph.weight(f"b{index}", b)]
        names += [] if c is None else [graph.weight(f"c{index}", c)]
        x = graph.op("Relu", graph.op("Gemm", x, *names, **attributes))
        value = np.maximum(_gemm(value, b, c, attributes), 0)
    return _finish(graph, {"x": a}, x, value)


def _gemm(a: np.ndarray, b: np.ndarray, c: np.ndarray | None, attributes: dict):
    a = a.T if attributes.get("transA") else a
    b = b.T if attributes.get("transB") else b
    c = 0 if c is None else c
    return attributes.get("alpha", 1.0) * (a @ b) + attributes.get("beta", 1.0) * c


def vit_block() -> Built:
    """A block of a vision transformer: 12 heads of 64, 197 patches."""
    tokens, heads, size, inner = 197, 12, 64, 256
    width = heads * size
    shapes = [(1, tokens, width), (width, 3 * width), (width, width)]
    x, qkv, out, up, down = random(3, *shapes, (width, inner), (inner, width))
    graph = network.Graph(np.dtype(np.float32))
    op = graph.op
    packed = op("MatMul", "x", graph.weight("qkv", qkv))
    split = op("Reshape", packed, graph.integers(1, tokens, 3, heads, size))
    moved = op("Transpose", split, perm=(2, 0, 3, 1, 4))
    parts = [op("Gather", moved, graph.integers(part)) for part in range(3)]
    query, key, value = (op("Squeeze", part, graph.integers(0)) for part in parts)
    scores = op("MatMul", query, op("Transpose", key, perm=(0, 1, 3, 2)))
    scaled = op("Mul", scores, graph.scalar(size**-0.5))
    mixed = op("MatMul", op("Softmax", scaled, axis=-1), value)
    joined = op("Transpose", mixed, perm=(0, 2, 1, 3))
    flat = op("Reshape", joined, graph.integers(1, tokens, width))
    y = op("Add", "x", op("MatMul", flat, graph.weight("out", out)))
    grown = op("MatMul", y, graph.weight("up", up))
    active = op("Mul", grown, op("Sigmoid", grown))
    result = op("Add", y, op("MatMul", active, graph.weight("down", down)))
    q, k, v = (x @ qkv).reshape(tokens, 3, heads, size).transpose(1, 2, 0, 3)
    weights = softmax(q @ k.transpose(0, 2, 1) * size**-0.5)
    after = x + (weights @ v).transpose(1, 0, 2).reshape(tokens, width) @ out
    hidden = after @ up
    expected = after + (hidden * sigmoid(hidden)) @ down
    return _finish(graph, {"x": x}, result, expected)


def whisper_step() -> Built:
    """One step of a decoder: cached keys, and logits of 51865 words in f16 as N x K."""
    width, heads, past, words = 64, 4, 50, 51865
    shapes = [(1, width), (heads, past, width // heads), (heads, past, width // heads)]
    x, keys, values = random(4, *shapes)
    query, table = random(5, (width, width), (words, width))
    half = (table * words**0.5).astype(np.float16)
    graph = network.Graph(np.dtype(np.float32))
    op = graph.op
    split = graph.integers(1, heads, width // heads)
    q = op("Reshape", op("MatMul", "x", graph.weight("query", query)), split)
    moved = op("Transpose", q, perm=(1, 0, 2))
    scores = op("MatMul", moved, op("Transpose", "keys", perm=(0, 2, 1)))
    mixed = op("MatMul", op("Softmax", scores, axis=-1), "values")
    joined = op("Transpose", mixed, perm=(1, 0, 2))
    flat = op("Reshape", joined, graph.integers(1, width))
    wide = op("Cast", "table", to=TensorProto.FLOAT)
    logits = op("MatMul", flat, op("Transpose", wide, perm=(1, 0)))
    rows = (x @ query).reshape(heads, 1, -1)
    weights = softmax(rows @ keys.transpose(0, 2, 1))
    expected = (weights @ values).reshape(1, width) @ half.astype(np.float32).T
    inputs = {"x": x, "keys": keys, "values": values, "table": half}
    return _finish(graph, inputs, logits, expected)


def lstm() -> Built:
    """ONNX LSTM over three steps: the importer makes a loop of the cell."""
    steps, batch, size, hidden = 3, 4, 24, 32
    x, w, r = random(6, (steps, batch, size), (size, 4 * hidden), (hidden, 4 * hidden))
    bias = np.linspace(-1, 1, 8 * hidden, dtype=np.float32)
    graph = network.Graph(np.dtype(np.float32))
    names = [
        graph.weight("w", w.T[None]),
        graph.weight("r", r.T[None]),
        graph.weight("bias", bias[None]),
    ]
    y = graph.op("LSTM", "x", *names, hidden_size=hidden)
    h = c = np.zeros((batch, hidden), np.float32)
    outputs = []
    for step in x:
        gates = step @ w + h @ r + bias[: 4 * hidden] + bias[4 * hidden :]
        i, o, f, g = np.split(gates, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return _finish(graph, {"x": x}, y, np.stack(outputs)[:, None])


def integer_linear() -> Built:
    """MatMulInteger of unsigned levels with their zero point, then the scale."""
    rng = np.random.default_rng(7)
    levels = rng.integers(0, 256, (12, 64), np.uint8)
    weight = rng.integers(-128, 128, (64, 48), np.int8)
    graph = network.Graph(np.dtype(np.float32))
    zero = helper.make_tensor("zero", TensorProto.UINT8, [], [117])
    graph.initializers["zero"] = zero
    whole = graph.op("MatMulInteger", "levels", "weight", "zero")
    real = graph.op("Cast", whole, to=TensorProto.FLOAT)
    result = graph.op("Mul", real, graph.scalar(1 / 512))
    expected = (levels.astype(np.int32) - 117) @ weight.astype(np.int32) / 512
    inputs = {"levels": levels, "weight": weight}
    return _finish(graph, inputs, result, expected.astype(np.float32))


def _finish(graph, inputs: dict[str, np.ndarray], result: str, expected) -> Built:
    graph.nodes[-1].output[0] = "result"
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in inputs.items()
    ]
    output = helper.make_tensor_value_info("result", TensorProto.FLOAT, expected.shape)
    initializers = [*graph.initializers.values()]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "main", infos, [output], initializers),
        opset_imports=[helper.make_opsetid("", network.OPSET)],
        ir_version=8,
    )
    arguments = weights_as_inputs(model)
    return Built(import_onnx(model), (*inputs.values(), *arguments), expected)
