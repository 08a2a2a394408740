# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reaches the modules of samples/minilm, whose network is measured too."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parents[1] / "samples" / "minilm"


def sample_module(name: str) -> ModuleType:
    """A module of the sample by its name."""
    if str(_FOLDER) not in sys.path:
        sys.path.append(str(_FOLDER))
    return importlib.import_module(name)
