# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimated times of register tiles against measured ones."""

from __future__ import annotations

import pytest
from measured import Measured, products

from iree_gemm.passes.strategies.tile import RATES, Config, time_of


def _text(c: Config) -> str:
    tile = f"{c.tile_m}x{c.tile_n}x{c.tile_k}"
    return f"{tile} {c.thread_m}x{c.thread_n} {c.slices}"


CONFIGS = {_text(config): config for config in RATES}
PRODUCTS = list(products("tile", {*CONFIGS}))
MEASURED = [measured for product in PRODUCTS for measured in product]


def _estimate(measured: Measured) -> float:
    return time_of(CONFIGS[measured.config], measured.sizes, measured.ranges)


@pytest.mark.parametrize("measured", MEASURED, ids=str)
def test_estimates_are_near(measured: Measured) -> None:
    assert 0.75 * measured.us < _estimate(measured) < 1.45 * measured.us


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda p: str(p[0].sizes))
def test_the_choice_is_among_the_fastest(product: list[Measured]) -> None:
    chosen = min(product, key=_estimate)
    assert chosen.us <= 1.06 * min(measured.us for measured in product)
