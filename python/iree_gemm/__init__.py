# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products with kernels of their own for IREE."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iree_gemm.api import compile, load
    from iree_gemm.options import Options

__version__ = metadata.version("iree-gemm")
__all__ = ["Options", "__version__", "compile", "load"]


# Lazy, because the plugin imports this package into a compiler that must not load
# the runtime.
def __getattr__(name: str) -> Any:
    if name in ("compile", "load"):
        from iree_gemm import api

        return getattr(api, name)
    if name == "Options":
        from iree_gemm.options import Options

        return Options
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
