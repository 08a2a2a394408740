# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public functions: compile a program to a module, and load a module."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iree_gemm.errors import CompileError, UsageError
from iree_gemm.options import Options
from iree_gemm.runtime import Program, load
from iree_gemm.targets import check_target, compiler_flags

__all__ = ["Program", "compile", "load"]


def compile(
    source: str | bytes | Path,
    *,
    target: str = "llvmpipe",
    options: Options | None = None,
    extra_args: Sequence[str] = (),
    **changes: Any,
) -> bytes:
    """Compiles MLIR (text, bytecode, or a `Path` to either) to a VM module.

    `target` is `metal`, `default` (any Vulkan device) or a name that
    --iree-vulkan-target knows; keywords such as `strategy="tile"` change `options`.
    """
    check_target(target)
    settings = (options or Options.from_env()).replace(**changes)
    flags = [*compiler_flags(target), *_plugin_flags(settings), *extra_args]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "module.vmfb")
        _run([*flags, "-o", str(output)], source)
        return output.read_bytes()


def _plugin_flags(options: Options) -> list[str]:
    return [f"--plugin-option={setting}" for setting in options.to_text().split(",")]


def _run(arguments: Sequence[str], source: str | bytes | Path) -> None:
    # A process of its own, since the compiler takes plugins only before its first
    # use in a process and the caller may have used it already.
    command = [sys.executable, "-m", "iree_gemm.cli", "compile", *arguments]
    if isinstance(source, Path):
        if not source.exists():
            raise UsageError(f"cannot read '{source}': no such file")
        command.append(str(source))
        text = b""
    else:
        command.append("-")
        text = source.encode() if isinstance(source, str) else source
    result = subprocess.run(command, input=text, capture_output=True)
    diagnostics = result.stderr.decode(errors="replace")
    if result.returncode:
        raise CompileError(diagnostics.strip())
    sys.stderr.write(diagnostics)
