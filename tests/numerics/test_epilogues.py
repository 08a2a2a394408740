# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folded epilogue gives the bits of the product followed by that epilogue."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from comparison import difference
from devices import DEFAULT, TestTarget
from element_types import F32, Types, values
from epilogues import EPILOGUES, NONE, Epilogue
from product_text import fused, plain, separate
from products import Product
from programs import all_taken, build
from shapes import EPILOGUE_SHAPES

from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Strategy
from iree_gemm.passes.strategies.table import STRATEGIES

_ESSENTIAL = ("accumulate", "gelu_erf", "residual")
_ROUNDED = (Types("f16", "f16", "f16"), Types("bf16", "bf16", "bf16"))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_epilogues(strategy: Strategy, target: TestTarget) -> None:
    names = _ESSENTIAL if target.is_slow else [e.name for e in EPILOGUES]
    _compare(strategy, target, F32, [e for e in EPILOGUES if e.name in names])


@pytest.mark.parametrize("types", _ROUNDED, ids=str)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_rounding(strategy: Strategy, target: TestTarget, types: Types) -> None:
    """Sums are rounded once, to nearest even, after the epilogue."""
    if target == DEFAULT and types.lhs == "f16":
        pytest.skip("IREE takes f16 for f32 there: no epilogue of its own to compare")
    bias = next(e for e in EPILOGUES if e.name == "scaled_bias")
    _compare(strategy, target, types, [NONE, bias])


def _compare(
    strategy: Strategy, target: TestTarget, types: Types, epilogues: list[Epilogue]
) -> None:
    shapes = [Product(shape, types) for shape in EPILOGUE_SHAPES]
    bare, *_ = all_taken(shapes, strategy, target)
    products = [replace(bare, epilogue=e) for e in epilogues]
    taken = all_taken(products, strategy, target)
    text = plain(bare) + "".join(fused(p) + separate(p) for p in taken)
    expected = [strategy.name] * (1 + len(taken))
    functions = build(
        text, target, Options(strategy=strategy.option), expected
    ).functions
    wrong = []
    for product in taken:
        lhs, rhs, *extras = product.inputs(values)
        together = functions[product.name](lhs, rhs, *extras)
        sums = functions[f"{bare.name}_plain"](lhs, rhs)
        apart = functions[f"{product.name}_separate"](sums, *extras)
        if fault := difference(np.asarray(together), np.asarray(apart)):
            wrong.append(f"{product}: {fault}")
    assert not wrong, "\n".join(wrong)
