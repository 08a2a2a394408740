# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of activations, and the table that explain prints."""

import pytest
from iree.compiler import ir

from iree_gemm.passes.activations import activations_of
from iree_gemm.report import Row, render_table, short_config, short_location

_HALF = "%half = arith.constant 0.5 : f32\n"
_ONE = "%one = arith.constant 1.0 : f32\n"
_ZERO = "%zero = arith.constant 0.0 : f32\n"
_SIGMOID = (
    _ONE
    + """%n = arith.negf %x : f32
%e = math.exp %n : f32
%s = arith.addf %e, %one : f32
%r = arith.divf %one, %s : f32
"""
)
_BODIES = {
    "relu": _ZERO + "%r = arith.maximumf %x, %zero : f32",
    "relu by comparison": _ZERO
    + """%t = arith.cmpf ugt, %x, %zero : f32
%r = arith.select %t, %x, %zero : f32""",
    "relu6": _ZERO
    + """%six = arith.constant 6.0 : f32
%t = arith.minimumf %x, %six : f32
%r = arith.maximumf %t, %zero : f32""",
    "clamp": """%low = arith.constant -1.0 : f32
%high = arith.constant 2.0 : f32
%t = arith.maximumf %x, %low : f32
%r = arith.minimumf %t, %high : f32""",
    "gelu (erf)": _HALF
    + _ONE
    + """%root = arith.constant 1.41421354 : f32
%q = arith.divf %x, %root : f32
%e = math.erf %q : f32
%s = arith.addf %one, %e : f32
%p = arith.mulf %x, %s : f32
%r = arith.mulf %p, %half : f32""",
    "gelu (tanh)": _HALF
    + _ONE
    + """%c = arith.constant 0.044715 : f32
%d = arith.constant 0.797884583 : f32
%a = arith.mulf %x, %x : f32
%b = arith.mulf %a, %x : f32
%f = arith.mulf %b, %c : f32
%g = arith.addf %x, %f : f32
%h = arith.mulf %d, %g : f32
%i = math.tanh %h : f32
%j = arith.addf %i, %one : f32
%k = arith.mulf %half, %x : f32
%r = arith.mulf %k, %j : f32""",
    "sigmoid": _SIGMOID,
    "silu": _SIGMOID + "%u = arith.mulf %x, %r : f32",
    "tanh": "%r = math.tanh %x : f32",
}


def _names(body: str) -> list[str]:
    text = f"func.func @f(%x: f32) {{\n{body}\nreturn\n}}"
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        chain = [view.operation for view in block.operations][:-1]
        return [a.name for a in activations_of(block.arguments[0], chain)]


@pytest.mark.parametrize("name", _BODIES)
def test_activations_are_named_by_what_they_compute(name: str) -> None:
    assert _names(_BODIES[name]) == [name.partition(" by ")[0]]


def test_other_functions_have_no_name() -> None:
    assert _names("%r = arith.mulf %x, %x : f32") == []
    assert _names("%r = math.sqrt %x : f32") == []


def test_a_biased_value_is_activated() -> None:
    text = """%c = arith.constant 3.0 : f32
%b = arith.addf %x, %c : f32
%r = math.tanh %b : f32"""
    assert _names(text) == ["tanh"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"tile_m": 64, "tile_n": 32, "tile_k": 16, "chain": 128}, "64x32x16"),
        ({"thread_m": 4, "thread_n": 8, "tile_k": 4}, "k=4 4x8"),
        ({"threads_m": 1, "threads_n": 8}, "threads=1x8"),
        ({"ranges": 4}, "ranges=4"),
        ({}, ""),
    ],
)
def test_short_config(config: dict[str, int], expected: str) -> None:
    assert short_config(config) == expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ('"/some/where/model.mlir":12:3', "model.mlir:12:3"),
        ('"-":12:3', "-:12:3"),
        ('"/layer/MatMul_7"', "/layer/MatMul_7"),
        ('callsite("a/b.mlir":1:2 at "a/b.mlir":3:4)', "b.mlir:1:2"),
        ("unknown", "unknown"),
        ("x" * 60, "..." + "x" * 37),
    ],
)
def test_short_location(location: str, expected: str) -> None:
    assert short_location(location) == expected


def test_table_counts_what_is_taken() -> None:
    rows = [
        Row('"m.mlir":1:2', strategy="tile", config={"tile_m": 8, "tile_n": 8}),
        Row('"m.mlir":3:4', strategy="iree", reason="strategy=off"),
    ]
    header, first, second, summary = render_table(rows).splitlines()
    assert header.startswith("location")
    assert first.endswith("tile 8x8")
    assert second.endswith("left to IREE: strategy=off")
    assert summary == "1 of 2 products taken"
