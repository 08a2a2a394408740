# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimated times of register tiles against measured ones."""

from __future__ import annotations

from itertools import chain

import pytest
from measured import Measured, Model

from iree_gemm.passes.strategies.tile import RATES, Config, time_of


def _text(c: Config) -> str:
    tile = f"{c.tile_m}x{c.tile_n}x{c.tile_k}"
    return f"{tile} {c.thread_m}x{c.thread_n} {c.slices}"


MODEL = Model("tile", {_text(config): config for config in RATES}, time_of)


@pytest.mark.parametrize("measured", [*chain(*MODEL.products)], ids=str)
def test_estimates_are_near(measured: Measured) -> None:
    assert 0.75 * measured.us < MODEL.estimate(measured) < 1.45 * measured.us


@pytest.mark.parametrize("product", MODEL.products, ids=lambda p: str(p[0].sizes))
def test_the_choice_is_among_the_fastest(product: list[Measured]) -> None:
    assert MODEL.slowdown(product) <= 1.06
