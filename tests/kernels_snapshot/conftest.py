# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option that writes the snapshot anew."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-kernels",
        action="store_true",
        help="write the counts of tests/kernels_snapshot/expected anew",
    )
