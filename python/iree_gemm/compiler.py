# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole iree-compile of the wheel, in this process and with the plugin."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from iree_gemm.options import ENVIRONMENT_VARIABLE, Options
from iree_gemm.paths import plugin_path

_LIBRARY = "libIREECompiler.dylib" if sys.platform == "darwin" else "libIREECompiler.so"


def run_with_plugin(arguments: Sequence[str], options: Options) -> int:
    """Runs iree-compile with the plugin active; possible once in a process.

    Needs no shared libpython, unlike the program of that name.
    """
    os.environ["IREE_LOAD_PLUGINS"] = _join_paths(os.environ.get("IREE_LOAD_PLUGINS"))
    os.environ[ENVIRONMENT_VARIABLE] = options.to_text()
    # Ctrl-C ends the program: Python's handler would wait for the compiler.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run_main(["iree-compile", "--iree-plugin=gemm", *arguments])


def _join_paths(loaded: str | None) -> str:
    # The compiler takes a list with commas, and loads no library twice.
    others = [path for path in (loaded or "").split(",") if path]
    return ",".join([*others, str(plugin_path())])


def _run_main(arguments: Sequence[str]) -> int:
    library = ctypes.CDLL(str(_libraries() / _LIBRARY))
    encoded = [os.fsencode(argument) for argument in arguments]
    argv = (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)
    return library.ireeCompilerRunMain(len(encoded), argv)


def _libraries() -> Path:
    # Found without an import, which would initialize the compiler too early.
    spec = importlib.util.find_spec("iree.compiler")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0], "_mlir_libs")
