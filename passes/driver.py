# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs one pass and turns its errors into diagnostics."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

from iree.compiler import ir

from iree_gemm.errors import GemmError, InternalError, UsageError, located
from iree_gemm.options import Options
from iree_gemm.passes.registry import PASSES


def run_pass(name: str, module: ir.Operation, options: Options) -> bool:
    """Runs a pass on a module; reports its error, if any, and returns success."""
    check_names([name])
    try:
        with module.context, module.location, located(module):
            PASSES[name](options)(module)
    except GemmError as error:
        error.location.emit_error(str(error))
        return False
    except InternalError as error:
        error.location.emit_error(_describe(name, error))
        return False
    return True


def check_names(names: Iterable[str]) -> None:
    """Raises a usage error unless all passes exist."""
    for name in names:
        if name not in PASSES:
            raise UsageError(f"unknown pass '{name}': one of {', '.join(PASSES)}")


def _describe(name: str, error: InternalError) -> str:
    cause = error.__cause__
    assert cause is not None
    summary = f"internal error in {name}: {type(cause).__name__}: {cause}"
    trace = "".join(traceback.format_exception(cause)).splitlines()
    # MLIR's C interface attaches no notes, so the note is part of the message.
    return "\nnote: ".join([summary, *trace])
