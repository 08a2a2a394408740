# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every strategy, forced, over shapes, layouts, types and run-time sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from comparison import difference
from devices import TestTarget
from element_types import integers, values
from groups import GROUPS, Group
from product_text import fused
from products import Product
from programs import all_taken, build
from shapes import EMPTY, ROW_COUNTS, Shape

import iree_gemm
from iree_gemm.options import Options
from iree_gemm.passes.strategies.strategy import Strategy
from iree_gemm.passes.strategies.table import STRATEGIES


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)
def test_products(strategy: Strategy, target: TestTarget, group: Group) -> None:
    """Small integers come out exactly, other values within the bound of their type."""
    taken = all_taken(group.products_for(target), strategy, target)
    text = "".join(map(fused, taken))
    options = Options(strategy=strategy.option)
    program = build(text, target, options, [strategy.name] * len(taken))
    wrong = [
        f"{called} by {config}: {fault}"
        for product, config in taken.items()
        for called in group.calls_of(product)
        for fault in _faults(program.functions[product.name], called)
    ]
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong)


def _faults(function, product: Product) -> Sequence[str]:
    for fill, bound in ((integers, 0.0), (values, product.types.bound)):
        inputs = product.inputs(fill)
        actual = function(*inputs)
        fault = difference(np.asarray(actual), product.exact(*inputs), bound)
        if fault:
            yield f"{fill.__name__}: {fault}"


def test_rows_at_run_time(target: TestTarget) -> None:
    """One function serves any number of rows, each with the strategy that suits it."""
    product = Product(Shape(1, 96, 256), dynamic="m")
    vmfb = iree_gemm.compile(fused(product), target=target.name)
    program = iree_gemm.load(vmfb)
    calls = [product.with_shape(Shape(rows, 96, 256)) for rows in ROW_COUNTS]
    wrong = [f"{call}: {fault}" for call in calls for fault in _faults(program, call)]
    assert not wrong, "\n".join(wrong)


def test_empty_products(target: TestTarget) -> None:
    """Static sizes of zero are left to IREE, and come out right."""
    products = [Product(shape) for shape in EMPTY]
    text = "".join(map(fused, products))
    program = build(text, target, Options(), ["iree"] * len(products))
    wrong = [
        f"{product}: {fault}"
        for product in products
        for fault in _faults(program.functions[product.name], product)
    ]
    assert not wrong, "\n".join(wrong)
