# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimated times of cooperative configurations against measured ones."""

from __future__ import annotations

import pytest

from iree_gemm.passes.strategies.cooperative import (
    FEW_ROWS,
    LARGE,
    MEDIUM,
    TALL,
    Config,
)
from iree_gemm.passes.strategies.cooperative_cost import UNITS, Sizes, microseconds

# (M, N, K, batch), configuration, us on an H200: benchmarks/results/2026-11-30-h200.
MEASURED = [
    ((4096, 4096, 4096, 1), LARGE, 448.4),
    ((2048, 2048, 2048, 1), LARGE, 61.3),
    ((4608, 4608, 4608, 1), LARGE, 617.8),
    ((8192, 8192, 8192, 1), LARGE, 3683.8),
    ((4096, 4096, 11008, 1), LARGE, 1134.1),
    ((512, 4096, 4096, 1), LARGE, 109.4),
    ((512, 512, 64, 96), LARGE, 48.0),
    ((256, 4096, 4096, 1), TALL, 58.6),
    ((1024, 768, 3072, 1), TALL, 29.2),
    ((128, 4096, 4096, 1), MEDIUM, 56.4),
    ((64, 4096, 4096, 1), MEDIUM, 34.1),
    ((128, 3072, 768, 1), MEDIUM, 10.2),
    ((128, 2304, 768, 1), MEDIUM, 9.6),
    ((128, 768, 3072, 1), MEDIUM, 24.5),
    ((128, 768, 768, 1), MEDIUM, 9.4),
    ((32, 4096, 4096, 1), FEW_ROWS, 40.4),
    ((16, 4096, 4096, 1), FEW_ROWS, 27.4),
]


@pytest.mark.parametrize(("sizes", "config", "measured"), MEASURED, ids=str)
def test_estimates_are_near(
    sizes: tuple[int, int, int, int], config: Config, measured: float
) -> None:
    estimated = microseconds(config, Sizes(*sizes, UNITS))
    assert 0.85 * measured < estimated < 1.2 * measured, estimated
