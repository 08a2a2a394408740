# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that results come from; without one these tests are skipped."""

import pytest
from devices import TARGETS, TestTarget

from iree_gemm.errors import UsageError
from iree_gemm.runtime import open_device


@pytest.fixture(scope="session", autouse=True)
def vulkan() -> None:
    try:
        open_device("vulkan")
    except UsageError as error:
        pytest.skip(str(error))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the argument `target` runs for every one of them."""
    if "target" not in metafunc.fixturenames:
        return
    targets = list(TARGETS)
    if name := metafunc.config.getoption("--vulkan-target"):
        targets.append(TestTarget(name))
    metafunc.parametrize("target", targets, ids=str)
