# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The range of the integers that a region can yield."""

import pytest
from iree.compiler import ir

from iree_gemm.passes.magnitudes import largest_magnitude

FUNCTION = """
func.func @f(%a: i8, %z: i8, %w: i32) -> {result} {{
  {body}
  return %y : {result}
}}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%y = arith.extsi %a : i8 to i32", 128),
        ("%y = arith.extui %a : i8 to i32", 255),
        ("%x = arith.extsi %a : i8 to i32\n %y = arith.subi %x, %x : i32", 255),
        ("%x = arith.extsi %a : i8 to i32\n %y = arith.subi %x, %w : i32", None),
        ("%x = arith.extsi %a : i8 to i32\n %y = arith.muli %x, %x : i32", None),
        # Sums wrap in their own type.
        ("%x = arith.addi %a, %z : i8\n %y = arith.extsi %x : i8 to i32", 128),
        ("%x = arith.constant -3 : i8\n %y = arith.extui %x : i8 to i32", 253),
    ],
)
def test_region(body: str, expected: int | None) -> None:
    with ir.Context():
        text = FUNCTION.format(body=body, result="i32")
        module = ir.Module.parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        assert largest_magnitude(block, list(block.arguments)) == expected


def test_constant_operand() -> None:
    body = "%x = arith.extsi %a : i8 to i32\n %y = arith.subi %x, %w : i32"
    with ir.Context(), ir.Location.unknown():
        text = FUNCTION.format(body=body, result="i32")
        module = ir.Module.parse(text + "%c = arith.constant 7 : i32")
        function, constant = module.body.operations
        block = function.regions[0].blocks[0]
        a, z, _ = block.arguments
        assert largest_magnitude(block, [a, z, constant.result]) == 135
