# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the native loader calls: one function that runs one pass on a module."""

from __future__ import annotations

import ctypes
import sys

from iree.compiler import ir

from iree_gemm.errors import UsageError
from iree_gemm.options import Options
from iree_gemm.passes import driver

FIRST_PASS = "gemm-raise-contractions"
LAST_PASS = "gemm-emit-msl"

# Dialects that the passes write and that a session need not have loaded.
_DIALECTS = (
    "affine",
    "arith",
    "flow",
    "func",
    "gpu",
    "hal",
    "iree_codegen",
    "iree_gpu",
    "linalg",
    "math",
    "memref",
    "scf",
    "tensor",
    "util",
    "vector",
)

_allowed_before: dict[ir.Context, bool] = {}


def run_pass(name: str, address: int) -> bool:
    """Runs a pass on the module at `address`; has reported the errors if False."""
    module = _wrap(address)
    _enter(name, module.context)
    succeeded = False
    try:
        succeeded = driver.run_pass(name, module, Options.from_env())
    except UsageError as error:
        module.location.emit_error(str(error))
    finally:
        _leave(name, module.context, succeeded)
        _flush()
    return succeeded


def _wrap(address: int) -> ir.Operation:
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    contexts = ir.Context._get_live_count()
    capsule = new_capsule(address, b"iree.compiler.ir.Operation._CAPIPtr", None)
    module = ir.Operation._CAPICreate(capsule)
    if ir.Context._get_live_count() > contexts:
        # The bindings now own a context that belongs to the compiler session and
        # would destroy it with their wrapper, so the wrapper lives forever.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(module.context))
    return module


def _enter(name: str, context: ir.Context) -> None:
    # The gemm dialect exists between the passes only, as unregistered operations.
    if name == FIRST_PASS:
        _allowed_before[context] = context.allow_unregistered_dialects
        context.allow_unregistered_dialects = True
        for dialect in _DIALECTS:
            context.get_dialect_descriptor(dialect)


def _leave(name: str, context: ir.Context, succeeded: bool) -> None:
    if (name == LAST_PASS or not succeeded) and context in _allowed_before:
        context.allow_unregistered_dialects = _allowed_before.pop(context)


def _flush() -> None:
    # In the stock tool the interpreter is never finalized, which would do this.
    sys.stdout.flush()
    sys.stderr.flush()
