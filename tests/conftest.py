# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the test run; pytest finds the helpers beside this file."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--vulkan-target",
        metavar="NAME",
        help="also test programs for this target, which the device is one of",
    )
