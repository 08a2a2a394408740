# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that were changed by hand: refused with the entry and its limits."""

from __future__ import annotations

import pytest
from planning import GPU, SOFTWARE, matmul

from iree_gemm.passes.strategies.record import config_of
from iree_gemm.passes.strategies.table import BY_NAME
from iree_gemm.passes.strategies.tile import LARGE, Config

PRODUCT = matmul(1, 512, 1024, "f16 f16 f32")
FEW = {"rows": 1, "columns": 16, "slices": 64, "lane_columns": 4, "lane_terms": 4}


def test_entries_that_are_missing_have_their_defaults() -> None:
    record = {"thread_m": 8, "tile_n": 128, "thread_n": 8}
    assert config_of(BY_NAME["tile"], record, PRODUCT, GPU) == LARGE
    assert config_of(BY_NAME["tile"], {}, PRODUCT, GPU) == Config()


@pytest.mark.parametrize(
    ("strategy", "record", "expected"),
    [
        ("tile", {"speed": 3}, "no entry is called speed, there are chain, slices"),
        ("tile", {"unroll": -1}, "unroll is -1: not 1 to 64"),
        ("tile", {"thread_m": 0}, "thread_m is 0: not 1 to 32"),
        ("tile", {"tile_m": 10**6}, "tile_m is 1000000: not 1 to 1024"),
        ("tile", {"slices": 16}, "4096 invocations, where 1024 are allowed"),
        ("tile", {"tile_k": 128}, "bytes of workgroup memory, where there are"),
        ("split-k", {"ranges": 1}, "ranges is 1: not 2 to 64"),
        ("direct", {"thread_m": -1}, "thread_m is -1"),
        ("direct", {"thread_n": 3}, "3 is not made of runs of 4"),
        ("direct", {"chain": 30}, "30 is not made of runs of 4"),
        ("few-rows", FEW, "by_term is missing"),
        ("few-rows", FEW | {"by_term": 2}, "by_term is 2: not 0 to 1"),
        ("few-rows", FEW | {"by_term": 0, "lane_terms": 3}, "not of 4 elements"),
        ("few-rows", FEW | {"by_term": 0, "lane_terms": 1}, "1: the product has 4"),
        ("cooperative", {"tile_m": 8}, "8 rows are not 2 times fragments"),
        ("cooperative", {"tile_k": 4}, "4 terms are not whole fragments"),
        ("cooperative", {"tile_k": 512}, "bytes of workgroup memory"),
        ("cooperative", {"element_bits": 8}, "bits is 8: the product has 16"),
        ("cooperative", {"is_bfloat": 1}, "is_bfloat is 1: the product has 0"),
        ("simdgroup", {"in_place": 1}, "16 bits are not read in place"),
        ("simdgroup", {}, "backend vulkan has no simdgroup matrices"),
    ],
)
def test_other_entries_are_refused(
    strategy: str, record: dict[str, int], expected: str
) -> None:
    target = SOFTWARE if strategy == "direct" else GPU
    with pytest.raises(ValueError, match=expected):
        config_of(BY_NAME[strategy], record, PRODUCT, target)
