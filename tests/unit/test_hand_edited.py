# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products changed by hand between the passes: refused at their location, in words."""

from __future__ import annotations

from functools import cache

import pytest
from iree.compiler import ir

from iree_gemm.options import Options
from iree_gemm.passes import driver
from iree_gemm.targets import assign_device

_TEXT = """
func.func @f(%a: tensor<32x64xf16>, %all: tensor<4x64x64xf16>, %which: tensor<3xi32>)
    -> tensor<32x64xf32> {
  %one = arith.constant 1 : index
  %element = tensor.extract %which[%one] : tensor<3xi32>
  %i = arith.index_cast %element : i32 to index
  %b = tensor.extract_slice %all[%i, 0, 0] [1, 64, 64] [1, 1, 1]
    : tensor<4x64x64xf16> to tensor<64x64xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x64xf32>)
    -> tensor<32x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>)
    outs(%init : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %c : tensor<32x64xf32>
}
"""
_BOUNDS = "bounds = array<i64: 32, 64, 64, 1>"
_ITERATORS = 'iterators = ["m", "n", "k", "lookup"]'
_LHS = "(d0, d1, d2, d3) -> (d0, d2)"
_RHS = "(d0, d1, d2, d3) -> (d3, d2, d1)"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (_BOUNDS, "bounds = array<i32: 32, 64, 64, 1>", "bounds is not an array of i6"),
        (_BOUNDS, "bounds = array<i64: -1, 64, 64, 1>", "a bound is negative"),
        (_BOUNDS, "bounds = array<i64: 33, 64, 64, 1>", "bounds do not fit"),
        (_BOUNDS, "bounds = array<i64: 16, 64, 64, 1>", "bounds do not fit"),
        (_BOUNDS, "bounds = array<i64: 32, 64, 65, 1>", "bounds do not fit"),
        (_BOUNDS, "bounds = array<i64: 32, 64, 64, 2>", "the bound of a lookup is 1"),
        (_ITERATORS, 'iterators = "m"', "iterators is not an array"),
        (_ITERATORS, 'iterators = ["m", 3, "k", "lookup"]', "holds other things than"),
        (_ITERATORS, 'iterators = ["n", "m", "k", "lookup"]', "dimension of n is in a"),
        (_ITERATORS, 'iterators = ["m", "n", "k", "m"]', "each lookup needs one oper"),
        (_LHS, "(d0, d1, d2, d3) -> (d0 floordiv 2 + d3, d2)", "is not linear"),
        (_LHS, "(d0, d1, d2, d3)[s0] -> (d0 + s0, d2)", "is not linear"),
        (_LHS, "(d0, d1, d2, d3) -> (d0 + 40, d2)", "bounds do not fit"),
        (_LHS, "(d0, d1, d2, d3) -> (d0 - 1, d2)", "bounds do not fit"),
        (_RHS, "(d0, d1, d2, d3) -> (d0, d2, d1)", "dimension of m is in a map of rhs"),
        ("array<i32: 1, 1, 0, 1, 0>", "array<i32: 1, 1, 0, 2, 0>", "does not count"),
        ("array<i32: 1, 1, 0, 1, 0>", "array<i32: 1, 1, 1, 0>", "does not count"),
        ("array<i32: 1, 1, 0, 1, 0>", '"all"', "Sizes is not an array of i32"),
        ('strategy = "cooperative"', "strategy = 3 : i64", "strategy is not a string"),
        ('strategy = "cooperative"', 'strategy = "fast"', "unknown strategy 'fast'"),
        ('stop = "end of the function"', "stop = 1 : i64", "stop is not a string"),
    ],
)
def test_edits_are_refused(old: str, new: str, expected: str) -> None:
    selected = _selected()
    assert old in selected
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        messages: list[str] = []
        context.attach_diagnostic_handler(lambda d: messages.append(d.message) or True)
        module = ir.Module.parse(selected.replace(old, new))
        assert not driver.run_pass("gemm-lower-kernels", module.operation, Options())
    assert expected in messages[0]
    assert "internal error" not in messages[0]


@cache
def _selected() -> str:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(_TEXT)
        assign_device(module, "ampere")
        for name in ("gemm-raise-contractions", "gemm-select-strategy"):
            assert driver.run_pass(name, module.operation, Options())
        return str(module)
