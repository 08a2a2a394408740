# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products by simdgroup matrices, from the finished module, on the shim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from comparison import difference
from element_types import F32, I8, Types, integers, values
from epilogues import EPILOGUES
from evaluator import run_function
from iree.compiler import ir
from metal_programs import MetalProgram, function_of, kernel_ir, lowered
from msl_check import mistakes
from product_text import fused, of_slices
from products import Product
from shapes import Shape

from interpreter import run_function as interpret
from iree_gemm.metal_kernels import inspecting
from iree_gemm.options import Options

F16 = Types("f16", "f16", "f32")
BF16 = Types("bf16", "bf16", "f32")
ODD, WHOLE = Shape(81, 19, 41), Shape(64, 64, 32)
MANY = Shape(70, 130, 151)  # several workgroups, more terms than a chain
BATCHED = Shape(33, 24, 40, batch=2)
SIZES = (ODD, Shape(64, 64, 64), Shape(1, 33, 130))

GROUPS = {
    "f16": [
        Product(WHOLE, F16),
        Product(ODD, F16),
        Product(ODD, F16, "NT"),
        Product(Shape(64, 128, 48), F16, "TT"),
        Product(MANY, F16, "TN"),
    ],
    "f32": [
        Product(WHOLE),
        Product(ODD, layout="TN"),
        Product(Shape(64, 128, 144), layout="NT"),
        Product(Shape(128, 64, 272)),
        Product(MANY, layout="TT"),
    ],
    "types": [
        Product(WHOLE, BF16, "NT"),
        Product(ODD, BF16),
        Product(Shape(72, 64, 136), Types("bf16", "bf16", "bf16")),
        Product(Shape(72, 64, 40), Types("f16", "f16", "f16"), "TN"),
        Product(Shape(64, 72, 24), Types("f32", "f16", "f32")),
    ],
    "batched": [
        Product(BATCHED, F16),
        Product(BATCHED, F16, "NT", shared="rhs"),
        Product(BATCHED, F32, "TN", shared="lhs"),
        Product(Shape(5, 33, 21, batch=3), F16, "TT"),
    ],
    "i8": [
        Product(ODD, I8),
        Product(Shape(64, 64, 32), I8, "NT"),
        Product(Shape(66, 72, 1100), I8, "TN"),
        Product(Shape(33, 40, 2048), I8, "TT"),
        Product(ODD, I8, dynamic="mnk"),
    ],
    "dynamic": [
        Product(SIZES[0], F16, dynamic="mnk"),
        Product(SIZES[0], F32, "NT", dynamic="mnk"),
        Product(SIZES[0], F32, "TN", dynamic="k"),
        Product(BATCHED, F16, "NT", dynamic="bmnk"),
    ],
}


@pytest.mark.parametrize("group", GROUPS)
def test_products(group: str) -> None:
    """Small integers come out exactly, other values within the bound of their type."""
    products = GROUPS[group]
    program = program_of(products)
    for backwards in (False, True):
        check(program, products, backwards)


SHAPES = {
    "two by two": {"subgroups_n": 2},
    "steps of 32": {"subgroups_n": 2, "tile_k": 32},
    "staged": {"in_place": 0},
}


@pytest.mark.parametrize("changes", SHAPES.values(), ids=SHAPES)
def test_configurations(changes: dict[str, int]) -> None:
    products = [
        Product(MANY, F32),
        Product(Shape(64, 128, 304), F32, "TT"),
    ]
    if "in_place" not in changes:
        products.append(Product(MANY, F16, "NT"))
    text = "".join(map(fused, products))
    check(MetalProgram.configured(text, **changes), products)


def test_ranges_of_k() -> None:
    """Long k on few tiles: a kernel of ours, then a portable one that joins."""
    gelu = EPILOGUES[5]
    products = [
        Product(Shape(40, 64, 1024), F32, epilogue=gelu),
        Product(Shape(33, 30, 1051, batch=2), F16, "NT"),
    ]
    program = program_of(products)
    assert sum("_split_k_ranges_" in name for name in program.kernels) == 2
    for product in products:
        inputs = product.inputs(values)
        (actual,) = program.call(product.name, *inputs)
        expected = meaning(product, inputs)
        assert not difference(np.asarray(actual), expected, product.types.bound)


def test_slices() -> None:
    """Nothing is read around the operands, which are slices of larger tensors."""
    margin = 3
    for product in (Product(Shape(66, 72, 40), F16), Product(Shape(64, 70, 24))):
        text = of_slices(product, margin)
        _, kernels = module = lowered(text, Options(strategy="simdgroup"))
        assert len(kernels) == 1
        inputs = product.inputs(integers)
        larger = [np.pad(a, margin, constant_values=np.nan) for a in inputs]
        (actual,) = MetalProgram(*module).call(product.name, *larger)
        assert not difference(np.asarray(actual), product.exact(*inputs))


def test_address_spaces() -> None:
    """Text that has everything that kernels may have passes a compiler's check."""
    gelu, transposed = EPILOGUES[5], EPILOGUES[-1]
    products = [
        Product(ODD, F16, dynamic="mnk"),
        Product(MANY, F32, "TT"),
        Product(BATCHED, F32, dynamic="bmnk", epilogue=gelu),
        Product(ODD, I8, dynamic="mnk"),
        Product(Shape(64, 64, 32), Types("bf16", "bf16", "bf16"), epilogue=transposed),
    ]
    text = "".join(map(fused, products))
    _, kernels = lowered(text, Options(strategy="simdgroup"))
    assert len(kernels) == len(products)
    assert not [fault for k in kernels.values() for fault in mistakes(k.text)]


def test_interpreted() -> None:
    """The interpreter knows more of memory than the shim: races, initialization."""
    products = [Product(ODD, F16, "NT"), Product(Shape(66, 70, 40)), Product(ODD, I8)]
    options, wrong = Options(strategy="simdgroup"), []
    for product in products:
        inputs = product.inputs(integers)
        with ir.Context() as context, ir.Location.unknown(), inspecting():
            context.allow_unregistered_dialects = True
            module = kernel_ir(fused(product), options, {})
            (actual,) = interpret(function_of(module, product.name), inputs)
        fault = difference(np.asarray(actual), product.exact(*inputs))
        wrong += [f"{product}: {fault}"] if fault else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("shape", [BATCHED, Shape(64, 64, 16, batch=1)], ids=str)
def test_epilogues(shape: Shape) -> None:
    """Edges and whole tiles take different ways out."""
    products = [Product(shape, epilogue=e) for e in EPILOGUES]
    rounded = Types("f16", "f16", "f16")
    products.append(Product(shape, rounded, epilogue=EPILOGUES[2]))
    program = program_of(products)
    wrong = []
    for product in products:
        inputs = product.inputs(values)
        (actual,) = program.call(product.name, *inputs)
        fault = difference(actual, meaning(product, inputs), product.types.bound)
        wrong += [f"{product}: {fault}"] if fault else []
    assert not wrong, "\n".join(wrong)


def meaning(product: Product, inputs: Sequence[np.ndarray]) -> np.ndarray:
    """The result of the function as NumPy computes it."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(fused(product))
        (result,) = run_function(module.body.operations[0].operation, inputs)
        return result


def check(
    program: MetalProgram, products: Sequence[Product], backwards: bool = False
) -> None:
    wrong = [
        f"{called}: {fault}"
        for product in products
        for called in calls_of(product)
        for fault in faults(program, product.name, called, backwards)
    ]
    assert not wrong, "\n".join(wrong)


def calls_of(product: Product) -> list[Product]:
    """The product with each of the sizes that it may have at run time."""
    if product.dynamic != "mnk":
        return [product]
    return [replace(product, shape=shape) for shape in SIZES]


def program_of(products: Sequence[Product]) -> MetalProgram:
    return MetalProgram.of("".join(map(fused, products)), strategy="simdgroup")


def faults(program: MetalProgram, name: str, product: Product, backwards: bool):
    for fill, bound in ((integers, 0.0), (values, product.types.bound)):
        inputs = product.inputs(fill)
        (actual,) = program.call(name, *inputs, backwards=backwards)
        fault = difference(np.asarray(actual), product.exact(*inputs), bound)
        if fault:
            yield f"{fill.__name__}: {fault}"
