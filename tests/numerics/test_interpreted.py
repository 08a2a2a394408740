# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of every strategy and target, interpreted.

The interpreter refuses what a device may let pass: accesses out of bounds, races, reads
of memory that nobody wrote. Matrix units need no hardware here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from comparison import difference
from devices import TestTarget
from element_types import I8, Types, integers
from lowered import function_of, lowered
from product_text import fused, of_experts
from products import Product, experts_of
from programs import all_taken
from shapes import Shape

from interpreter import run_function
from iree_gemm.metal_kernels import inspecting
from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Strategy
from iree_gemm.passes.strategies.table import STRATEGIES

_TARGETS = [TestTarget(name) for name in ("llvmpipe", "default", "ampere", "metal")]
_F16 = Types("f16", "f16", "f16")
_PRODUCTS = (
    Product(Shape(5, 9, 7)),
    Product(Shape(70, 68, 20), layout="NT"),
    Product(Shape(3, 12, 204, batch=2), layout="TN"),
    Product(Shape(5, 9, 7), dynamic="mnk"),
    Product(Shape(3, 20, 400), _F16),
    Product(Shape(66, 20, 36), _F16, layout="TT"),
    Product(Shape(5, 20, 36), I8, layout="NT"),
)
_OF_EXPERTS = tuple(p for p in _PRODUCTS if not p.dynamic)


@pytest.mark.parametrize("device", _TARGETS, ids=str)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_interpreted(strategy: Strategy, device: TestTarget) -> None:
    with inspecting():
        taken = all_taken(_PRODUCTS, strategy, device)
    for product, config in taken.items():
        inputs = product.inputs(integers)
        actual = _interpreted(fused(product), inputs, strategy, device)
        fault = difference(actual, product.exact(*inputs))
        assert not fault, f"{product} by {config}: {fault}"


@pytest.mark.parametrize("device", _TARGETS, ids=str)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_run_time_offsets(strategy: Strategy, device: TestTarget) -> None:
    """One A of three and one B of three, by a host's index and by a tensor's."""
    with inspecting():
        taken = all_taken(_OF_EXPERTS, strategy, device)
    for product, config in taken.items():
        lhs, rhs = experts_of(product)
        text, indices = of_experts(product, len(lhs)), (2, np.int32([9, 1]))
        actual = _interpreted(text, [*indices, lhs, rhs], strategy, device)
        fault = difference(actual, product.exact(lhs[2], rhs[1]))
        assert not fault, f"{product} by {config}: {fault}"


def _interpreted(
    text: str, inputs: Sequence[Any], strategy: Strategy, device: TestTarget
) -> np.ndarray:
    """The result of the only function of a text."""
    options = Options(strategy=strategy.option)
    with lowered(text, device.name, options) as module:
        (actual,) = run_function(function_of(module), inputs)
    return actual
