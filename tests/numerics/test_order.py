# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums are added up in the order that their strategy states, bit for bit.

Devices without a fused multiply-add (lavapipe is one) round its product too.
"""

from __future__ import annotations

import numpy as np
import pytest
from comparison import difference
from devices import TestTarget
from element_types import values
from orders import ORDERS, Sum, fused_multiply_add, separate_multiply_add
from product_text import fused
from products import Product
from programs import all_taken, build
from shapes import Shape

from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Strategy
from iree_gemm.passes.strategies.table import STRATEGIES

_ADDS = (fused_multiply_add, separate_multiply_add)
_PRODUCTS = (
    Product(Shape(4, 20, 1000)),  # chains, blocks and ranges, all of them partial
    Product(Shape(33, 20, 300), layout="NT"),
    Product(Shape(3, 16, 512), layout="NT"),  # whole vectors along k
)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_order(strategy: Strategy, target: TestTarget) -> None:
    if strategy.name not in ORDERS:
        pytest.skip("the hardware adds in an order of its own")
    taken = all_taken(_PRODUCTS, strategy, target)
    expected = [strategy.name] * len(taken)
    text = "".join(map(fused, taken))
    functions = build(
        text, target, Options(strategy=strategy.option), expected
    ).functions
    faults: dict[str, list[str]] = {add.__name__: [] for add in _ADDS}
    for product, config in taken.items():
        lhs, rhs = product.inputs(values)
        once, again = (np.asarray(functions[product.name](lhs, rhs)) for _ in range(2))
        assert once.tobytes() == again.tobytes(), f"{product}: two runs differ"
        columns = rhs.T if product.layout[1] == "T" else rhs
        for add in _ADDS:
            stated = ORDERS[strategy.name](Sum(lhs, columns, add), config)
            if fault := difference(once, stated):
                faults[add.__name__].append(f"{product} by {config}: {fault}")
    assert not all(faults.values()), faults
