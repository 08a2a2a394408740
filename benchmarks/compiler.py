# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs iree-compile once for each text; what it gave is kept under the text's hash."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from iree.compiler.tools import binaries

from iree_gemm.targets import compiler_flags

_SECONDS = 300
_DUMP = "--iree-hal-dump-executable-binaries-to"


class CompileFailure(Exception):
    """The first error line of the compiler."""


@dataclass(frozen=True)
class Compiler:
    """iree-compile for a target, with results kept in a folder."""

    target: str
    folder: Path

    def run(self, text: str, *flags: str, suffix: str = ".mlir") -> Path:
        """The file that comes out. Raises CompileFailure."""
        version = metadata.version("iree-base-compiler")
        arguments = [*compiler_flags(self.target), *flags]
        key = "\0".join([version, *arguments, text])
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        output, failure = (self.folder / f"{name}{end}" for end in (suffix, ".failure"))
        if failure.exists():
            raise CompileFailure(failure.read_text())
        if not output.exists():
            message = _compile(text, arguments, output)
            if message is not None:
                failure.write_text(message)
                raise CompileFailure(message)
        return output


def _compile(text: str, arguments: list[str], output: Path) -> str | None:
    """Compiles to a file; the first error line where that fails."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_suffix(".partial")
    # The native program: the one on PATH starts a Python first.
    command = [binaries.find_tool("iree-compile"), *arguments, "-", "-o", str(partial)]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no result within {_SECONDS} s"
    if done.returncode:
        return _first_error(done.stderr) or f"exit code {done.returncode}"
    partial.replace(output)
    return None


def _first_error(stderr: str) -> str:
    match = re.search(r"error: (.*)", stderr)
    return match[1][:200] if match else stderr.strip().partition("\n")[0][:200]


def lowered_before(target: str, text: str) -> str:
    """A module at the preprocessing phase, its device on it."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--compile-to=preprocessing",)
        return Compiler(target, Path(folder)).run(text, *flags).read_text()


def dump_binaries(target: str, text: str, folder: Path) -> None:
    """Writes the SPIR-V of a module at the preprocessing phase, a file a kernel."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = ("--compile-from=preprocessing", f"{_DUMP}={folder}")
    with tempfile.TemporaryDirectory() as scratch:
        Compiler(target, Path(scratch)).run(text, *flags, suffix=".vmfb")
