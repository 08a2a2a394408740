# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every configuration of cooperative matrices, executed on NumPy."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from cooperative_products import DTYPES, Product, run

from iree_gemm.passes.strategies import cooperative, cooperative_split_k

F16, BF16, I8 = ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("i8", "i8", "i32")
LISTED = {"f16": "ampere", "f32": "ampere", "bf16": "ampere", "i8": "rdna3"}
CONFIGS = (*cooperative.CONFIGS, cooperative.FEW_ROWS)
WIDE = replace(cooperative.LARGE, tile_m=256, subgroups_m=4)
LAYOUTS = ("NN", "NT", "TN", "TT")


def name_of(config: cooperative.Config) -> str:
    grid = f"{config.subgroups_m}x{config.subgroups_n}"
    return f"{config.tile_m}x{config.tile_n}x{config.tile_k}-{grid}"


def check(product: Product, choice: tuple[str, Any] | None = None) -> None:
    result, (a, b, _) = run(product, choice, LISTED[product.types[0]])
    exact = product.exact(a, b).astype(DTYPES[product.types[2]])
    assert (result == exact).all(), np.argwhere(result != exact)[:4]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("config", [*CONFIGS, WIDE], ids=name_of)
def test_odd_sizes(config: cooperative.Config, layout: str) -> None:
    """No size divides, so no row is aligned: single elements make the quads."""
    check(Product(33, 69, 83, F16, layout), ("cooperative", config))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_aligned_edges(config: cooperative.Config, layout: str) -> None:
    """Rows are whole quads, but neither whole tiles nor whole steps."""
    check(Product(72, 136, 72, F16, layout), ("cooperative", config))


@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_whole_tiles(config: cooperative.Config) -> None:
    product = Product(config.tile_m, config.tile_n, 2 * config.tile_k, F16)
    check(product, ("cooperative", config))


@pytest.mark.parametrize("types", [BF16, I8], ids="-".join)
@pytest.mark.parametrize("layout", ["NN", "TT"])
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_other_elements(
    config: cooperative.Config, layout: str, types: tuple[str, str, str]
) -> None:
    choice = ("cooperative", config.of(types[0]))
    check(Product(33, 69, 147, types, layout), choice)
    check(Product(48, 80, 160, types, layout), choice)


@pytest.mark.parametrize("types", [F16, BF16, I8], ids="-".join)
@pytest.mark.parametrize(
    ("m", "n", "k", "ranges"), [(33, 69, 515, 3), (64, 64, 768, 3), (16, 8, 400, 12)]
)
def test_ranges_of_k(
    m: int, n: int, k: int, ranges: int, types: tuple[str, str, str]
) -> None:
    """Also where ranges are empty."""
    base = cooperative.MEDIUM.of(types[0])
    config = cooperative_split_k.Config(**asdict(base), ranges=ranges)
    check(Product(m, n, k, types), ("cooperative-split-k", config))


@pytest.mark.parametrize(
    "types",
    [("f32", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "bf16")],
    ids="-".join,
)
@pytest.mark.parametrize("size", [(33, 35, 37), (128, 64, 32)], ids=str)
def test_converted_types(size: tuple[int, int, int], types: tuple[str, ...]) -> None:
    check(Product(*size, types), ("cooperative", cooperative.LARGE.of(types[1])))


@pytest.mark.parametrize("shared", [False, True])
def test_batches(shared: bool) -> None:
    check(Product(24, 40, 48, F16, batch=3, shared_rhs=shared))
    check(Product(33, 35, 37, F16, batch=3, shared_rhs=shared))


@pytest.mark.parametrize("size", [(128, 128, 32), (100, 132, 40), (33, 35, 37)])
def test_epilogue(size: tuple[int, int, int]) -> None:
    """relu(C + bias), stored in vectors inside C and element by element at edges."""
    body = """%s = arith.addf %x, %y : f32
      %zero_ = arith.constant 0.0 : f32
      %m = arith.maximumf %s, %zero_ : f32
      linalg.yield %m : f32"""
    product = Product(*size, F16, epilogue=body)
    result, (a, b, bias) = run(product, ("cooperative", cooperative.LARGE))
    assert (result == np.maximum(product.exact(a, b) + bias, 0)).all()


@pytest.mark.parametrize("k", [64, 1024])
def test_portable_variant(k: int) -> None:
    """The other variant gives the same from the same bindings."""
    product = Product(65, 68, k, F16)
    result, (a, b, _) = run(product, variant="portable")
    assert (result == product.exact(a, b)).all()
