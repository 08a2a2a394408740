# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing but C is written, and nothing but op(A) and op(B) counts.

The operands are slices of buffers full of NaN. The result goes to the middle of another
one, in place: IREE binds that part of it to the kernel.
"""

from __future__ import annotations

import numpy as np
import pytest
from comparison import difference
from devices import TestTarget
from element_types import integers
from product_text import inside_larger
from products import Product
from programs import build, plan
from shapes import CANARY_SHAPES

from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Reject, Strategy
from iree_gemm.passes.strategies.table import STRATEGIES

# Whole rows of 16 bytes, so that what lies around C keeps the kernel's alignment.
_MARGIN = 16


@pytest.mark.parametrize("layout", ["NN", "NT"])
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_canaries(strategy: Strategy, target: TestTarget, layout: str) -> None:
    products = [Product(shape, layout=layout) for shape in CANARY_SHAPES]
    choices = {product: plan(product, strategy, target) for product in products}
    taken = [p for p, choice in choices.items() if not isinstance(choice, Reject)]
    if not taken:
        pytest.skip(next(iter(choices.values())).reason)
    taken = taken[:1] if target.is_slow else taken
    text = "".join(inside_larger(product, _MARGIN) for product in taken)
    options = Options(strategy=strategy.option)
    program = build(text, target, options, [strategy.name] * len(taken))
    faults = [
        f"{product}: {fault}"
        for product in taken
        if (fault := _fault(program.functions[product.name], product))
    ]
    assert not faults, "\n".join(faults)


def _fault(function, product: Product) -> str:
    lhs, rhs = product.inputs(integers)
    around = np.full((product.shape.m + 2 * _MARGIN, product.shape.n), np.nan, "f4")
    expected = around.copy()
    expected[_MARGIN:-_MARGIN] = product.exact(lhs, rhs)
    surrounded = (np.pad(x, _MARGIN, constant_values=np.nan) for x in (lhs, rhs))
    return difference(np.asarray(function(*surrounded, around)), expected)
