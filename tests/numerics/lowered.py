# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules after all passes, in this process, to be changed or interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from iree.compiler import ir

from iree_gemm.metal_kernels import inspecting
from iree_gemm.options import Options
from iree_gemm.passes.registry import PASSES
from iree_gemm.targets import assign_device

_PASSES = ("gemm-raise-contractions", "gemm-select-strategy", "gemm-lower-kernels")


@contextmanager
def lowered(text: str, target: str, options: Options) -> Iterator[ir.Module]:
    """The module of a text, with kernels for a target."""
    with ir.Context() as context, ir.Location.unknown(), inspecting():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        assign_device(module, target)
        for name in _PASSES:
            PASSES[name](options)(module.operation)
        yield module


def function_of(module: ir.Module) -> ir.Operation:
    """The only function of a module."""
    operations = [view.operation for view in module.body.operations]
    (function,) = (op for op in operations if op.name == "func.func")
    return function
