# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Modules of the Metal tests: their text, the stock compiler, our emission."""

import subprocess
import sys
from pathlib import Path

from iree.compiler import ir

from iree_gemm.metal_kernels import MslKernel, collecting
from iree_gemm.options import Options
from iree_gemm.passes.emit_msl import EmitMslPass

KERNELS = Path(__file__).parent / "kernels"
COMPILER = Path(sys.executable).parent / "iree-compile"
METAL = "--iree-hal-target-device=metal"


def kernel_text(name: str, **types: str) -> str:
    """A module of tests/metal/kernels with its placeholders filled in."""
    text = (KERNELS / f"{name}.mlir").read_text()
    for placeholder, type_ in types.items():
        text = text.replace(f"${placeholder}", type_)
    return text


def iree_compile(*arguments: str | Path) -> None:
    """The stock compiler, for metal."""
    subprocess.run([COMPILER, METAL, *arguments], check=True)


def emit(text: str) -> dict[str, MslKernel]:
    """What gemm-emit-msl makes of a module, by executable name."""
    return emit_in_place(text)[1]


def emit_in_place(text: str) -> tuple[str, dict[str, MslKernel]]:
    """The module afterwards too, with empty kernels."""
    with ir.Context(), ir.Location.unknown(), collecting() as kernels:
        module = ir.Module.parse(text)
        EmitMslPass(Options())(module.operation)
        return str(module), kernels
