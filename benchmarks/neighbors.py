# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reaches modules of folders that are no packages, whose contents are measured too."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

_ROOT = Path(__file__).parents[1]


def sample_module(name: str) -> ModuleType:
    """A module of samples/minilm."""
    return _module(_ROOT / "samples" / "minilm", name)


def shapes_of_tests() -> ModuleType:
    """The list of shapes that the tests of results share."""
    return _module(_ROOT / "tests" / "numerics", "shapes")


def _module(folder: Path, name: str) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module(name)
