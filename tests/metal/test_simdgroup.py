# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products by simdgroup matrices, from the finished module, on the shim."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from comparison import difference
from element_types import F32, Types, integers, values
from metal_programs import MetalProgram
from product_text import fused
from products import Product
from shapes import Shape

F16 = Types("f16", "f16", "f32")
ODD, WHOLE, MANY = Shape(81, 19, 41), Shape(64, 64, 32), Shape(70, 130, 151)

GROUPS = {
    "f16": [
        Product(WHOLE, F16),
        Product(ODD, F16),
        Product(ODD, F16, "NT"),
        Product(Shape(64, 128, 48), F16, "TT"),
        Product(MANY, F16, "TN"),
    ],
}


@pytest.mark.parametrize("group", GROUPS)
def test_products(group: str, backwards: bool) -> None:
    """Small integers come out exactly, other values within the bound of their type."""
    products = GROUPS[group]
    program = program_of(products)
    wrong = [
        f"{product}: {fault}"
        for product in products
        for fault in faults(program, product, backwards)
    ]
    assert not wrong, "\n".join(wrong)


def program_of(products: Sequence[Product]) -> MetalProgram:
    return MetalProgram.of("".join(map(fused, products)), strategy="simdgroup")


def faults(program: MetalProgram, product: Product, backwards: bool):
    for fill, bound in ((integers, 0.0), (values, product.types.bound)):
        inputs = product.inputs(fill)
        (actual,) = program.call(product.name, *inputs, backwards=backwards)
        fault = difference(np.asarray(actual), product.exact(*inputs), bound)
        if fault:
            yield f"{fill.__name__}: {fault}"
