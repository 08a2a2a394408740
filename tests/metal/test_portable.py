# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The portable kernels on Metal, by IREE's way; tiles by our lowering too."""

import numpy as np
import pytest
from comparison import difference
from element_types import F32, I8, Types, values
from iree.compiler import ir
from metal_modules import emit, kernel_text
from metal_programs import MetalProgram
from msl_check import mistakes
from msl_cpu import Kernel
from product_text import fused
from products import Product
from shapes import Shape

import iree_gemm
from iree_gemm.metal import kernels_of
from iree_gemm.metal_kernels import MslKernel
from iree_gemm.options import Options
from iree_gemm.passes.registry import PASSES
from iree_gemm.targets import assign_device

TILE = 32
SHAPES = [(65, 64, 63), (7, 13, 5), (128, 64, 32)]
STEPS = ("gemm-raise-contractions", "gemm-select-strategy", "gemm-lower-kernels")


def product_of(shape) -> str:
    m, n, k = map(str, shape)
    return kernel_text("matmul", M=m, N=n, K=k, T="f32")


def ours(shape) -> MslKernel:
    """The kernel of the passes, marked so that gemm-emit-msl takes it."""
    text = product_of(shape).replace("func.func", "util.func")
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text.replace("  return", "  util.return"))
        assign_device(module, "metal")
        for name in STEPS:
            PASSES[name](Options(strategy="tile"))(module.operation)
        marked = str(module).replace("{translation_info", "{gemm.msl, translation_info")
    (kernel,) = emit(marked).values()
    return kernel


def by_iree(shape) -> MslKernel:
    vmfb = iree_gemm.compile(product_of(shape), target="metal", strategy="tile")
    ((_, kernel),) = kernels_of(vmfb)
    return kernel


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("way", [ours, by_iree])
def test_tile(way, shape, rng, backwards):
    m, n, k = shape
    kernel = way(shape)
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((k, n)).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    grid = (-(-n // TILE), -(-m // TILE), 1)
    run = Kernel(kernel.text, kernel.entry)
    run([a, b, c], grid, kernel.threads, backwards=backwards)
    want = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(c - want).max() <= 1e-5 * np.abs(want).max()


def test_types_of_ours():
    assert mistakes(ours(SHAPES[0]).text) == []


STRATEGIES = {
    "tile": (Shape(65, 40, 37), "TT"),
    "split-k": (Shape(33, 40, 260), "NT"),
    "few-rows": (Shape(3, 40, 136), "NN"),
}
HALF, BFLOAT = Types("f16", "f16", "f16"), Types("bf16", "bf16", "bf16")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_types(strategy) -> None:
    """Every type that they take elsewhere, in one module."""
    shape, layout = STRATEGIES[strategy]
    products = [Product(shape, types, layout) for types in (F32, HALF, BFLOAT, I8)]
    text = "".join(map(fused, products))
    program = MetalProgram.of(text, strategy=strategy)
    for product in products:
        inputs = product.inputs(values)
        (actual,) = program.call(product.name, *inputs)
        expected = product.exact(*inputs)
        assert not difference(np.asarray(actual), expected, product.types.bound)
