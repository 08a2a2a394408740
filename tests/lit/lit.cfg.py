# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: passes, lowerings and messages, on MLIR text."""

import os
import sys
from pathlib import Path

import lit.formats

from iree_gemm.paths import plugin_path

config.name = "iree-gemm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py"]
config.excludes = ["lit.cfg.py", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = str(Path(__file__).parents[2] / "build" / "lit")

# The tools of the environment that runs lit.
tools = str(Path(sys.executable).parent)
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])
for name in ("HOME", "VK_ICD_FILENAMES", "VK_DRIVER_FILES", "XDG_RUNTIME_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%plugin", str(plugin_path())))
config.maxIndividualTestTime = 60
