# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets IREE translate kernels to SPIR-V, in a compilation of their own."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from iree.compiler import ir
from iree.compiler.dialects import hal
from iree.compiler.tools import binaries

from .binary import Binary, literal_text

_ENTRY_POINT = 15
_PLUGIN_VARIABLE = "IREE_LOAD_PLUGINS"


def translate(variants: Sequence[ir.Operation]) -> dict[str, Binary]:
    """The SPIR-V of executable variants with one kernel each, by the kernel's name."""
    text = _module_of(variants)
    with tempfile.TemporaryDirectory() as folder:
        _compile(text, folder)
        modules = [Binary.read(p.read_bytes()) for p in Path(folder).glob("*.spv")]
    return {_entry_point(module): module for module in modules}


def _module_of(variants: Sequence[ir.Operation]) -> str:
    """An executable of its own for each variant."""
    module = ir.Module.create()
    for variant in variants:
        with ir.InsertionPoint(module.body):
            name = variant.parent.attributes["sym_name"]
            executable = hal.ExecutableOp(name, sym_visibility="public")
        with ir.InsertionPoint(executable.regions[0].blocks.append()):
            variant.clone()
            hal.executable_end()
    return str(module)


def _compile(text: str, folder: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != _PLUGIN_VARIABLE}
    command = [
        binaries.find_tool("iree-compile"),
        "--compile-from=executable-sources",
        "--compile-to=hal",
        f"--iree-hal-dump-executable-binaries-to={folder}",
        *("-o", os.devnull, "-"),
    ]
    result = subprocess.run(
        command, input=text, capture_output=True, text=True, env=environment
    )
    if result.returncode:
        raise RuntimeError(f"iree-compile failed on kernels:\n{result.stderr}")


def _entry_point(module: Binary) -> str:
    (entry,) = (i for i in module.instructions if i.opcode == _ENTRY_POINT)
    return literal_text(entry.operands[2:])
