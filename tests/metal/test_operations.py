# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every operation of the lowering, one by one, against NumPy."""

import math
import re

import numpy as np
import pytest
from metal_modules import emit, kernel_text
from msl_check import mistakes
from msl_cpu import Kernel

COUNT = 64
F32 = {
    "arith.addf %a, %b : T": lambda a, b: a + b,
    "arith.subf %a, %b : T": lambda a, b: a - b,
    "arith.mulf %a, %b : T": lambda a, b: a * b,
    "arith.divf %a, %b : T": lambda a, b: a / b,
    "arith.negf %a : T": lambda a, b: -a,
    "arith.maximumf %a, %b : T": np.maximum,
    "arith.minimumf %a, %b : T": np.minimum,
    "arith.maxnumf %a, %b : T": np.fmax,
    "arith.minnumf %a, %b : T": np.fmin,
    "math.fma %a, %b, %b : T": lambda a, b: a * b + b,
    "math.absf %a : T": lambda a, b: np.abs(a),
    "math.ceil %a : T": lambda a, b: np.ceil(a),
    "math.floor %a : T": lambda a, b: np.floor(a),
    "math.roundeven %a : T": lambda a, b: np.rint(a),
    "math.trunc %a : T": lambda a, b: np.trunc(a),
    "math.copysign %a, %b : T": np.copysign,
    "math.exp %a : T": lambda a, b: np.exp(a),
    "math.exp2 %a : T": lambda a, b: np.exp2(a),
    "math.tanh %a : T": lambda a, b: np.tanh(a),
    "math.sin %a : T": lambda a, b: np.sin(a),
    "math.erf %a : T": lambda a, b: np.vectorize(math.erf)(a),
    "math.erfc %a : T": lambda a, b: np.vectorize(math.erfc)(a),
    "math.cbrt %a : T": lambda a, b: np.cbrt(a),
    "math.clampf %a to [%b, %b] : T": lambda a, b: b,
    "math.expm1 %a : T": lambda a, b: np.expm1(a),
}
COMPARISONS = {
    f"arith.cmpf {name}, %a, %b : T": function
    for name, function in {
        "oeq": np.equal,
        "ogt": np.greater,
        "oge": np.greater_equal,
        "olt": np.less,
        "ole": np.less_equal,
        "one": np.not_equal,
        "ueq": np.equal,
        "ugt": np.greater,
        "ult": np.less,
        "une": np.not_equal,
    }.items()
}
I32 = {
    "arith.addi %a, %b : T": lambda a, b: a + b,
    "arith.subi %a, %b : T": lambda a, b: a - b,
    "arith.muli %a, %b : T": lambda a, b: a * b,
    "arith.divsi %a, %b : T": lambda a, b: np.trunc(a / b),
    "arith.remsi %a, %b : T": np.fmod,
    "arith.andi %a, %b : T": np.bitwise_and,
    "arith.ori %a, %b : T": np.bitwise_or,
    "arith.xori %a, %b : T": np.bitwise_xor,
    "arith.maxsi %a, %b : T": np.maximum,
    "arith.minsi %a, %b : T": np.minimum,
    "arith.maxui %a, %b : T": lambda a, b: np.maximum(a.view("u4"), b.view("u4")),
    "arith.minui %a, %b : T": lambda a, b: np.minimum(a.view("u4"), b.view("u4")),
    "arith.divui %a, %b : T": lambda a, b: a.view("u4") // b.view("u4"),
    "arith.remui %a, %b : T": lambda a, b: a.view("u4") % b.view("u4"),
    "math.absi %a : T": lambda a, b: np.abs(a),
}
INTEGER_COMPARISONS = {
    f"arith.cmpi {name}, %a, %b : T": function
    for name, function in {
        "eq": np.equal,
        "ne": np.not_equal,
        "slt": np.less,
        "sge": np.greater_equal,
        "ult": lambda a, b: a.view("u4") < b.view("u4"),
        "uge": lambda a, b: a.view("u4") >= b.view("u4"),
    }.items()
}
HALF = {
    name: F32[name]
    for name in (
        "arith.addf %a, %b : T",
        "arith.mulf %a, %b : T",
        "arith.maximumf %a, %b : T",
        "math.absf %a : T",
        "math.exp %a : T",
        "math.tanh %a : T",
    )
}


def run(body: str, count: int, a: np.ndarray, b: np.ndarray, types: dict) -> np.ndarray:
    """The results of the operations in a kernel, one row each."""
    text = kernel_text("operations", COUNT=str(count), BODY=body, **types)
    kernel = emit(text)["operations"]
    assert mistakes(kernel.text) == []
    out = np.zeros((count, *a.shape), np.dtype(types_of(types["OUT"])))
    Kernel(kernel.text, kernel.entry)([a, b, out], (1, 1, 1), kernel.threads)
    return out


@pytest.mark.parametrize("lanes", [1, 4])
def test_integer_powers(rng: np.random.Generator, lanes: int) -> None:
    powers = (0, 1, 3, 7, -2)
    wide, integer = typed("f32", lanes), typed("i32", lanes)
    lines = []
    for i, power in enumerate(powers):
        value = f"dense<{power}>" if lanes > 1 else power
        lines += [
            f"%i{i} = arith.constant {i} : index",
            f"%e{i} = arith.constant {value} : {integer}",
            f"%r{i} = math.fpowi %a, %e{i} : {wide}, {integer}",
            f"memref.store %r{i}, %out[%i{i}, %t] : !out",
        ]
    a = rng.uniform(-2, 2, (COUNT, lanes)).astype(np.float32)
    out = run("\n".join(lines), len(powers), a, a, {"IN": wide, "OUT": wide})
    want = np.stack([a.astype(np.float64) ** power for power in powers])
    np.testing.assert_allclose(out, want, rtol=1e-6)


def types_of(mlir: str) -> str:
    scalar = mlir.removeprefix("vector<4x").rstrip(">")
    return {"f32": "f4", "f16": "f2", "i32": "i4", "i8": "i1", "bf16": "u2"}[scalar]


def body_of(operations, type_: str, convert: str | None) -> str:
    """Stores operation i's result, converted by `convert`, to row i."""
    lines = []
    for i, operation in enumerate(operations):
        lines.append(f"%i{i} = arith.constant {i} : index")
        operation = re.sub(r"\bT\b", type_, operation)
        lines.append(f"%r{i} = {operation}")
        result = f"%r{i}"
        if convert:
            lines.append(f"%s{i} = {convert.replace('%r', result)}")
            result = f"%s{i}"
        lines.append(f"memref.store {result}, %out[%i{i}, %t] : !out")
    return "\n      ".join(lines)


def typed(scalar: str, lanes: int) -> str:
    return scalar if lanes == 1 else f"vector<{lanes}x{scalar}>"


def shape_of(lanes: int) -> tuple[int, ...]:
    return (COUNT,) if lanes == 1 else (COUNT, lanes)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize(
    ("operations", "scalar", "tolerance"), [(F32, "f32", 3e-7), (HALF, "f16", 2e-3)]
)
def test_floats(operations, scalar, tolerance, lanes, rng):
    type_ = typed(scalar, lanes)
    a, b = rng.uniform(-5, 5, (2, *shape_of(lanes))).astype(types_of(scalar))
    body = body_of(operations, type_, None)
    rows = run(body, len(operations), a, b, {"IN": type_, "OUT": type_})
    for row, (name, function) in zip(rows, operations.items(), strict=True):
        want = function(a.astype(np.float64), b.astype(np.float64))
        scale = np.maximum(np.abs(want), 1)
        assert (np.abs(row - want) / scale).max() < tolerance, name


@pytest.mark.parametrize("lanes", [1, 4])
def test_positive_floats(lanes, rng):
    operations = {
        "math.log %a : T": np.log,
        "math.log2 %a : T": np.log2,
        "math.log1p %a : T": np.log1p,
        "math.sqrt %a : T": np.sqrt,
        "math.rsqrt %a : T": lambda a: a**-0.5,
        "math.powf %a, %a : T": lambda a: a**a,
    }
    type_ = typed("f32", lanes)
    a = rng.uniform(0.01, 5, shape_of(lanes)).astype(np.float32)
    body = body_of(operations, type_, None)
    rows = run(body, len(operations), a, a, {"IN": type_, "OUT": type_})
    for row, (name, function) in zip(rows, operations.items(), strict=True):
        want = function(a.astype(np.float64))
        np.testing.assert_allclose(row, want, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("lanes", [1, 4])
def test_integers(lanes, rng):
    type_ = typed("i32", lanes)
    a, b = rng.integers(-1000, 1000, (2, *shape_of(lanes)), np.int32)
    b[b == 0] = 7
    body = body_of(I32, type_, None)
    rows = run(body, len(I32), a, b, {"IN": type_, "OUT": type_})
    for row, (name, function) in zip(rows, I32.items(), strict=True):
        want = np.asarray(function(a, b)).astype(np.int64).astype(np.int32)
        np.testing.assert_array_equal(row, want, err_msg=name)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize(
    ("operations", "scalar"), [(COMPARISONS, "f32"), (INTEGER_COMPARISONS, "i32")]
)
def test_comparisons(operations, scalar, lanes, rng):
    type_, bools = typed(scalar, lanes), typed("i1", lanes)
    a, b = rng.integers(-2, 3, (2, *shape_of(lanes))).astype(types_of(scalar))
    convert = f"arith.extui %r : {bools} to {typed('i32', lanes)}"
    body = body_of(operations, type_, convert)
    types = {"IN": type_, "OUT": typed("i32", lanes)}
    rows = run(body, len(operations), a, b, types)
    for row, (name, function) in zip(rows, operations.items(), strict=True):
        np.testing.assert_array_equal(row, function(a, b), err_msg=name)


@pytest.mark.parametrize("lanes", [1, 4])
def test_bf16(lanes, rng):
    """Carried as bits: up to f32, times two, and back with ties to even."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wide, short = typed("f32", lanes), typed("bf16", lanes)
    lines = [
        f"%x = arith.extf %a : {short} to {wide}",
        f"%y = arith.extf %b : {short} to {wide}",
        f"%z = arith.mulf %x, %y : {wide}",
        f"%r = arith.truncf %z : {wide} to {short}",
        "memref.store %r, %out[%c0, %t] : !out",
    ]
    a, b = rng.standard_normal((2, *shape_of(lanes))).astype(ml_dtypes.bfloat16)
    a.reshape(-1)[:3] = [np.nan, np.inf, 0]
    with np.errstate(invalid="ignore"):
        want = (a.astype(np.float32) * b.astype(np.float32)).astype(ml_dtypes.bfloat16)
    types = {"IN": short, "OUT": short}
    (row,) = run("\n".join(lines), 1, a.view("u2"), b.view("u2"), types)
    got = row.view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(got, want.astype(np.float32))


def test_bytes_to_halves(rng):
    """How i8 operands are staged for simdgroup matrices."""
    lines = [
        "%x = arith.extsi %a : vector<4xi8> to vector<4xi32>",
        "%r = arith.sitofp %x : vector<4xi32> to vector<4xf16>",
        "memref.store %r, %out[%c0, %t] : !out",
    ]
    a = rng.integers(-128, 128, (COUNT, 4), np.int8)
    types = {"IN": "vector<4xi8>", "OUT": "vector<4xf16>"}
    (row,) = run("\n".join(lines), 1, a, a, types)
    np.testing.assert_array_equal(row, a.astype(np.float16))


VECTORS = {
    "vector.shuffle %a, %b [3, 0, 5, 4] : T, T": lambda a, b: np.stack(
        [a[:, 3], a[:, 0], b[:, 1], b[:, 0]], -1
    ),
    "vector.broadcast %e : f32 to T": lambda a, b: np.repeat(a[:, 1:2], 4, 1),
    "vector.insert %e, %b [3] : f32 into T": lambda a, b: np.stack(
        [*b.T[:3], a[:, 1]], -1
    ),
    "vector.from_elements %e, %e, %u, %e : T": lambda a, b: np.stack(
        [a[:, 1], a[:, 1], b[:, 2], a[:, 1]], -1
    ),
    "vector.fma %a, %b, %b : T": lambda a, b: a * b + b,
    "vector.broadcast %sum : f32 to T": lambda a, b: np.repeat(
        a.sum(1, keepdims=True), 4, 1
    ),
    "vector.shuffle %pair, %pair [0, 1, 1, 0] : PAIR, PAIR": lambda a, b: a[
        :, [2, 3, 3, 2]
    ],
}
VECTOR_PARTS = """
%e = vector.extract %a[1] : f32 from vector<4xf32>
%c2 = arith.constant 2 : index
%u = vector.extract %b[%c2] : f32 from vector<4xf32>
%sum = vector.reduction <add>, %a : vector<4xf32> into f32
%pair = vector.extract_strided_slice %a offsets = [2], sizes = [2], strides = [1]
    : vector<4xf32> to vector<2xf32>
"""


def test_vectors(rng):
    """What has no arithmetic: parts of vectors taken, put and put together."""
    vector = "vector<4xf32>"
    body = VECTOR_PARTS + body_of(VECTORS, vector, None)
    a, b = rng.standard_normal((2, COUNT, 4)).astype(np.float32)
    types = {"IN": vector, "OUT": vector}
    rows = run(body.replace("PAIR", "vector<2xf32>"), len(VECTORS), a, b, types)
    for row, (name, function) in zip(rows, VECTORS.items(), strict=True):
        np.testing.assert_allclose(row, function(a, b), 1e-6, 1e-6, err_msg=name)
