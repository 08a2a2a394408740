# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python API: compile, load, and the types that programs take and return."""

import traceback
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import iree_gemm
from iree_gemm.errors import CompileError, UsageError

TYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i32": np.int32,
}


def sum_module(element: str) -> str:
    """Two results, one of them of booleans, with a dynamic dimension."""
    kind, predicate = ("i", "sgt") if element[0] == "i" else ("f", "ogt")
    tensor = f"tensor<?x7x{element}>"
    return f"""
func.func @sum(%a: {tensor}, %b: {tensor}) -> ({tensor}, tensor<?x7xi1>) {{
  %c = arith.add{kind} %a, %b : {tensor}
  %d = arith.cmp{kind} {predicate}, %a, %b : {tensor}
  return %c, %d : {tensor}, tensor<?x7xi1>
}}
"""


@pytest.mark.parametrize("element", TYPES)
def test_arrays_go_in_and_come_out(element):
    program = iree_gemm.load(iree_gemm.compile(sum_module(element)))
    for rows in (1, 5, 1000):
        a = (np.arange(rows * 7) % 100).reshape(rows, 7).astype(TYPES[element])
        b = np.ones((rows, 7), TYPES[element])
        total, greater = program(a, b)
        assert total.dtype == TYPES[element]
        assert greater.dtype == np.bool_
        np.testing.assert_array_equal(total, a + b)
        np.testing.assert_array_equal(greater, a > b)


def test_product_of_arrays():
    source = """
func.func @product(%a: tensor<?x32xf32>, %b: tensor<32x48xf32>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%m) : tensor<?x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>)
    -> tensor<?x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x48xf32>)
    outs(%fill : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %c : tensor<?x48xf32>
}
"""
    program = iree_gemm.load(iree_gemm.compile(source, strategy="tile"))
    a = (np.arange(20 * 32) % 7).reshape(20, 32).astype(np.float32)
    b = (np.arange(32 * 48) % 5).reshape(32, 48).astype(np.float32)
    np.testing.assert_array_equal(program.product(a, b), a @ b)


def test_source_as_path_and_bytes(tmp_path):
    path = tmp_path / "sum.mlir"
    path.write_text(sum_module("f32"))
    output = tmp_path / "sum.vmfb"
    for source in (path, path.read_bytes()):
        output.write_bytes(iree_gemm.compile(source))
        assert list(iree_gemm.load(output).functions) == ["sum"]


def test_several_functions_are_called_by_name():
    source = "".join(
        f"func.func @{name}(%a: tensor<4xf32>) -> tensor<4xf32> {{\n"
        f"  %b = arith.{op} %a, %a : tensor<4xf32>\n"
        "  return %b : tensor<4xf32>\n}\n"
        for name, op in (("double", "addf"), ("square", "mulf"))
    )
    program = iree_gemm.load(iree_gemm.compile(source))
    three = np.full(4, 3, np.float32)
    assert program.double(three).tolist() == [6] * 4
    assert program.square(three).tolist() == [9] * 4
    with pytest.raises(UsageError, match="double, square"):
        program(three)
    with pytest.raises(AttributeError, match="no function 'cube'"):
        _ = program.cube


def test_compiler_errors_are_the_message():
    with pytest.raises(CompileError, match="use of undeclared SSA value name"):
        iree_gemm.compile("func.func @f() -> index { return %x : index }")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "nothing"}, "unknown target 'nothing'"),
        ({"strategy": "best"}, "unknown strategy 'best'"),
        ({"speed": "high"}, "unknown option 'speed'"),
    ],
)
def test_mistakes_in_arguments(arguments, message):
    with pytest.raises(UsageError, match=message):
        iree_gemm.compile("module {}", **arguments)


def test_missing_file():
    with pytest.raises(UsageError, match="cannot read '/nothing"):
        iree_gemm.compile(Path("/nothing.mlir"))


def test_unknown_device():
    module = iree_gemm.compile(sum_module("f32"))
    with pytest.raises(UsageError, match="cannot open device 'nothing'"):
        iree_gemm.load(module, device="nothing")


def test_device_is_closed_with_its_program() -> None:
    """By its threads: those of lavapipe keep processors busy while it is open."""
    module = iree_gemm.compile(sum_module("f32"))
    before = _threads()
    program = iree_gemm.load(module)
    assert _threads() > before
    del program
    assert _threads() == before


def test_errors_outlive_their_program() -> None:
    """They hold no buffers, which would crash without their device."""
    module = iree_gemm.compile(sum_module("f32"))
    a, wrong = np.ones((5, 7), np.float32), np.ones((3, 3), np.float32)
    with pytest.raises(ValueError, match="INVALID_ARGUMENT") as caught:
        iree_gemm.load(module)(a, wrong)
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any("arg_list" in frame.f_locals for frame in frames)


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))
