# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What single operations mean in the interpreter, against values worked out by hand."""

from collections.abc import Iterator

import numpy as np
import pytest
from iree.compiler import ir

from interpreter.handwritten import buffer_type, kernel, run

NAN = float("nan")
VALUES = """
  %a = arith.constant -7 : i32
  %b = arith.constant 2 : i32
  %big = arith.constant 65535 : i32
  %seven = arith.constant 7 : index
  %yes = arith.constant true
  %byte = arith.constant -1 : i8
  %x = arith.constant 1.5 : f32
  %y = arith.constant -2.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %tenth = arith.constant 0.1 : f32
  %tie = arith.constant 0x3F808000 : f32
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %h = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
  %pick = arith.index_cast %t : index to i32
"""

INTEGERS = {
    "arith.divsi %a, %b : i32": -3,
    "arith.floordivsi %a, %b : i32": -4,
    "arith.ceildivsi %a, %b : i32": -3,
    "arith.remsi %a, %b : i32": -1,
    "arith.divui %a, %b : i32": (2**32 - 7) // 2,
    "arith.ceildivui %a, %b : i32": (2**32 - 6) // 2,
    "arith.remui %a, %b : i32": 1,
    "arith.minui %a, %b : i32": 2,
    "arith.maxsi %a, %b : i32": 2,
    "arith.shrui %a, %b : i32": (2**32 - 7) >> 2,
    "arith.shrsi %a, %b : i32": -2,
    "arith.muli %big, %big : i32": 65535 * 65535 - 2**32,
    "arith.extui %byte : i8 to i32": 255,
    "arith.extsi %byte : i8 to i32": -1,
    "arith.extsi %yes : i1 to i32": -1,
    "arith.extui %yes : i1 to i32": 1,
    "arith.fptosi %y : f32 to i32": -2,
    "arith.bitcast %x : f32 to i32": 0x3FC00000,
    "arith.select %yes, %a, %b : i32": -7,
}
FLOATS = {
    "arith.subf %x, %y : f32": 3.5,
    "arith.maximumf %x, %nan : f32": NAN,
    "arith.maxnumf %x, %nan : f32": 1.5,
    "arith.minnumf %y, %nan : f32": -2.0,
    "arith.sitofp %a : i32 to f32": -7.0,
    "arith.uitofp %byte : i8 to f32": 255.0,
    "arith.sitofp %byte : i8 to f32": -1.0,
    "math.absf %y : f32": 2.0,
    "math.roundeven %x : f32": 2.0,
    "math.fma %x, %y, %x : f32": -1.5,
    "vector.extract %v[2] : f32 from vector<4xf32>": 3.0,
    "vector.extract %v[%c0] : f32 from vector<4xf32>": 1.0,
    "vector.reduction <add>, %v, %x : vector<4xf32> into f32": 11.5,
    "vector.reduction <maxnumf>, %v : vector<4xf32> into f32": 4.0,
}
PREDICATES = {
    "arith.cmpi slt, %a, %b : i32": True,
    "arith.cmpi ult, %a, %b : i32": False,
    "arith.cmpi ne, %a, %b : i32": True,
    "arith.cmpf olt, %y, %x : f32": True,
    "arith.cmpf olt, %nan, %x : f32": False,
    "arith.cmpf ult, %nan, %x : f32": True,
    "arith.cmpf une, %nan, %nan : f32": True,
    "arith.cmpf ord, %nan, %x : f32": False,
    "arith.trunci %a : i32 to i1": True,
}
SEQUENCES = {
    "affine.delinearize_index": (
        """%q:2 = affine.delinearize_index %seven into (3, 4) : index, index
        %i = affine.linearize_index [%q#1, %q#0] by (4, 3) : index
        %r = arith.index_cast %i : index to i32""",
        3 * 3 + 1,
    ),
    "arith.mului_extended": ("%low, %r = arith.mului_extended %a, %b : i32", 1),
    "arith.mulsi_extended": ("%low, %r = arith.mulsi_extended %a, %b : i32", -1),
    "vector.bitcast": (
        """%w = vector.bitcast %h : vector<2xf16> to vector<1xi32>
        %r = vector.extract %w[0] : i32 from vector<1xi32>""",
        0x40003C00,
    ),
}


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def result(
    body: str, element: str, dtype: type = np.int32, size: int = 1
) -> np.ndarray:
    """What the value %r of `body` is in each invocation."""
    store = f"memref.store %r, %b0[%t] : {buffer_type(element)}"
    out = np.zeros(size, dtype)
    run(kernel(f"{VALUES}\n{body}\n{store}", (element,), size), out, n=size)
    return out


@pytest.mark.parametrize(("expression", "wanted"), INTEGERS.items(), ids=INTEGERS)
def test_integer(expression: str, wanted: int) -> None:
    assert result(f"%r = {expression}", "i32").view(np.uint32) == wanted % 2**32


@pytest.mark.parametrize(("expression", "wanted"), FLOATS.items(), ids=FLOATS)
def test_float(expression: str, wanted: float) -> None:
    got = result(f"%r = {expression}", "f32", np.float32)
    assert np.array_equal(got, [np.float32(wanted)], equal_nan=True)


@pytest.mark.parametrize(("expression", "wanted"), PREDICATES.items(), ids=PREDICATES)
def test_predicate(expression: str, wanted: bool) -> None:
    body = f"%p = {expression}\n%r = arith.extui %p : i1 to i32"
    assert result(body, "i32") == wanted


@pytest.mark.parametrize(("body", "wanted"), SEQUENCES.values(), ids=SEQUENCES)
def test_sequence(body: str, wanted: int) -> None:
    assert result(body, "i32") == wanted


@pytest.mark.parametrize(
    ("element", "bits"), [("f16", 0x2E66), ("bf16", 0x3DCD)], ids=["f16", "bf16"]
)
def test_narrow_floats_round_to_nearest(element: str, bits: int) -> None:
    body = f"""%s = arith.truncf %tenth : f32 to {element}
        %r = arith.bitcast %s : {element} to i16"""
    assert result(body, "i16", np.int16) == bits


def test_ties_round_to_even() -> None:
    body = """%s = arith.truncf %tie : f32 to bf16
        %r = arith.extf %s : bf16 to f32"""
    assert result(body, "f32", np.float32) == 1.0


def test_fma_rounds_once() -> None:
    """1 + 2^-24 is half-way, and 2^-60 more is lost to float64 but not to an fma."""
    p, q = 2.0**-12 + 2.0**-24, 2.0**-12 - 4095 * 2.0**-36
    assert p * q == 2.0**-24 + 2.0**-60
    body = f"""%one = arith.constant 1.0 : f32
        %p = arith.constant {p:.17f} : f32
        %q = arith.constant {q:.17f} : f32
        %r = math.fma %p, %q, %one : f32"""
    assert result(body, "f32", np.float32) == np.float32(1 + 2.0**-23)


VECTORS = {
    "from_elements": (
        """%w = vector.from_elements %x, %y, %x, %y : vector<2x2xf32>
        %r = vector.shape_cast %w : vector<2x2xf32> to vector<4xf32>""",
        [1.5, -2, 1.5, -2],
    ),
    "insert": ("%r = vector.insert %x, %v[1] : f32 into vector<4xf32>", [1, 1.5, 3, 4]),
    "to_elements": (
        """%e:4 = vector.to_elements %v : vector<4xf32>
        %r = vector.from_elements %e#3, %e#2, %e#1, %e#0 : vector<4xf32>""",
        [4, 3, 2, 1],
    ),
    "fma": (
        """%w = vector.broadcast %x : f32 to vector<4xf32>
        %r = vector.fma %v, %w, %v : vector<4xf32>""",
        [2.5, 5, 7.5, 10],
    ),
    "slices": (
        """%w = vector.extract_strided_slice %v
          offsets = [2], sizes = [2], strides = [1] : vector<4xf32> to vector<2xf32>
        %r = vector.insert_strided_slice %w, %v offsets = [0], strides = [1]
          : vector<2xf32> into vector<4xf32>""",
        [3, 4, 3, 4],
    ),
    "shuffle": (
        "%r = vector.shuffle %v, %v [0, 7, 1, 6] : vector<4xf32>, vector<4xf32>",
        [1, 4, 2, 3],
    ),
    "select": (
        "%r = arith.select %yes, %v, %v : i1, vector<4xf32>",
        [1, 2, 3, 4],
    ),
}


@pytest.mark.parametrize(("body", "wanted"), VECTORS.values(), ids=VECTORS)
def test_vector(body: str, wanted: list[float]) -> None:
    out = np.zeros(4, np.float32)
    store = f"memref.store %r, %b0[%t] : {buffer_type('vector<4xf32>')}"
    run(kernel(f"{VALUES}\n{body}\n{store}", ("vector<4xf32>",), 1), out, n=1)
    assert out.tolist() == wanted


SUBGROUPS = {
    "xor": ("%r, %ok = gpu.shuffle xor %pick, %one, %c32 : i32", lambda t: t ^ 1),
    "down": (
        "%r, %ok = gpu.shuffle down %pick, %one, %c32 : i32",
        lambda t: np.where(t % 32 == 31, t, t + 1),
    ),
    "idx": (
        "%r, %ok = gpu.shuffle idx %pick, %b, %c32 : i32",
        lambda t: t // 32 * 32 + 2,
    ),
    "reduce": (
        "%r = gpu.subgroup_reduce add %pick : (i32) -> i32",
        lambda t: t // 32 * 1024 + 496,
    ),
    "clusters": (
        "%r = gpu.subgroup_reduce maxui %pick cluster(size = 4) : (i32) -> i32",
        lambda t: t // 4 * 4 + 3,
    ),
    "broadcast": (
        "%r = gpu.subgroup_broadcast %pick, first_active_lane : i32",
        lambda t: t // 32 * 32,
    ),
    "lanes": (
        "%l = gpu.lane_id\n%r = arith.index_cast %l : index to i32",
        lambda t: t % 32,
    ),
}


@pytest.mark.parametrize(("body", "wanted"), SUBGROUPS.values(), ids=SUBGROUPS)
def test_subgroup(body: str, wanted: object) -> None:
    constants = "%one = arith.constant 1 : i32\n%c32 = arith.constant 32 : i32"
    got = result(f"{constants}\n{body}", "i32", size=64)
    assert (got == wanted(np.arange(64))).all()
