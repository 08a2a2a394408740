# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Where the parts of the installed package are."""

from __future__ import annotations

from pathlib import Path

import iree_gemm
from iree_gemm.errors import UsageError

_LIBRARY = Path("_plugin", "libiree_gemm_plugin.so")


def plugin_path() -> Path:
    """The native library that iree-compile loads."""
    # An editable install has the sources and the library in two folders.
    for folder in iree_gemm.__path__:
        path = Path(folder, _LIBRARY)
        if path.exists():
            return path
    raise UsageError(f"{_LIBRARY} is missing: install iree-gemm again with pip")
