# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of tiles that cannot work are refused where they are made."""

import pytest

from iree_gemm.passes.strategies.tile import Config


def test_sizes_follow_from_the_tile() -> None:
    config = Config(tile_m=64, tile_n=32, thread_m=4, thread_n=4)
    assert (config.threads_m, config.threads_n, config.threads) == (16, 8, 128)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"tile_m": 60}, "does not divide the tile"),
        ({"tile_n": 65}, "does not divide the tile"),
        ({"thread_n": 2}, "runs of 4"),
        ({"chain": 100}, "does not divide the chain"),
        ({"unroll": 3}, "does not divide the chain"),
        ({"slices": 3}, "not a power of two"),
    ],
)
def test_invalid_sizes(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**sizes)
