# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What every Metal test may take: the shim's compiler, an order, random numbers."""

import sys
from pathlib import Path

import msl_cpu
import numpy as np
import pytest

# What a product is, and what it should be, is the same for every device.
sys.path.append(str(Path(__file__).parents[1] / "numerics"))


@pytest.fixture(scope="session", autouse=True)
def clang() -> str:
    """A missing compiler is a failure that says what to install, not a skip."""
    try:
        return msl_cpu.compiler()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(params=[False, True], ids=["forwards", "backwards"])
def backwards(request: pytest.FixtureRequest) -> bool:
    """The order in which the shim runs threads; a missing barrier shows in one."""
    return request.param


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(list(request.node.name.encode()))
