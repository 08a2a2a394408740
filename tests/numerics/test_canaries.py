# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing but C is written, and nothing but op(A) and op(B) counts.

The operands are slices of buffers full of NaN, and C is the start of another one.
"""

from __future__ import annotations

import numpy as np
import pytest
from canaries import return_larger_result
from comparison import difference
from devices import TestTarget
from element_types import integers
from lowered import function_of, lowered
from product_text import of_slices
from products import Product
from programs import all_taken
from shapes import CANARY_SHAPES

import iree_gemm
from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Strategy
from iree_gemm.passes.strategies.table import STRATEGIES

_MARGIN = 16
_ROWS = 128
"""As many as any tile has: what an unchecked edge writes lies in them."""


@pytest.mark.parametrize("layout", ["NN", "NT"])
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_canaries(strategy: Strategy, target: TestTarget, layout: str) -> None:
    products = [Product(shape, layout=layout) for shape in CANARY_SHAPES]
    product, config = next(iter(all_taken(products, strategy, target).items()))
    options = Options(strategy=strategy.option)
    with lowered(of_slices(product, _MARGIN), target.name, options) as module:
        return_larger_result(function_of(module), _ROWS)
        text = str(module)
    program = iree_gemm.load(iree_gemm.compile(text, target=target.name))
    lhs, rhs = product.inputs(integers)
    larger = np.full((product.shape.m + _ROWS, product.shape.n), np.nan, "f4")
    expected = larger.copy()
    expected[: product.shape.m] = product.exact(lhs, rhs)
    surrounded = (np.pad(x, _MARGIN, constant_values=np.nan) for x in (lhs, rhs))
    actual = np.asarray(program(*surrounded, larger))
    fault = difference(actual, expected)
    assert not fault, f"{product} by {config}: {fault}"
