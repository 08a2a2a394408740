# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiling for Metal: two runs of iree-compile, with our MSL put in between them.

IREE's own Metal path has no simdgroup matrices. So a kernel of ours goes through it as
an empty one; at the hal phase, where each executable is a finished binary, the MSL that
gemm-emit-msl wrote takes the place of the empty kernel's.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iree_gemm.errors import UsageError
from iree_gemm.metal_executable import FormatError, read_executable, replace_kernel
from iree_gemm.metal_kernels import MslKernel, collecting

PHASE = "hal"
# On macOS the compiler would else embed a compiled library instead of the text.
METALLIB = "--iree-metal-compile-to-metallib"
BEFORE_KERNELS = ("preprocessing", "global-optimization", "dispatch-creation", "flow")
ONE_RUN = ("--compile-", "--help", "-help", "--version")
TARGET = re.compile(r"--?iree-hal-target-(?:device|backends)(?:=|\0)([^\0]*)")
OUTPUT = re.compile(r"--?o(?:=(.*))?", re.DOTALL)
EXECUTABLE = re.compile(
    rb'hal\.executable private @(?:"([^"\n]+)"|([\w.$-]+))[^{\n]*\{\s*'
    rb'hal\.executable\.binary [^"\n]*"metal-msl-fb", data = '
    rb'dense<"0x([0-9A-Fa-f]+)"> : vector<\d+xi8>'
)
EMPTY_KERNEL = re.compile(r"\)\s*\{\s*\}\s*$")


def needs_two_runs(arguments: Sequence[str]) -> bool:
    """Whether iree-compile with these arguments makes a whole module for Metal."""
    if any(argument.startswith(ONE_RUN) for argument in arguments):
        return False
    return _is_for_metal(arguments)


def ends_before_kernels(arguments: Sequence[str]) -> bool:
    """Whether iree-compile only shows a module for Metal, with kernels as they are."""
    ends = [argument.partition("--compile-to=")[2] for argument in arguments]
    return _is_for_metal(arguments) and any(end in BEFORE_KERNELS for end in ends)


def _is_for_metal(arguments: Sequence[str]) -> bool:
    targets = TARGET.findall("\0".join(arguments))
    return any(target.startswith("metal") for target in targets)


def compile_with_msl(
    arguments: Sequence[str], first_run: Callable[[Sequence[str]], int]
) -> int:
    """Does what iree-compile does, with our MSL in the module; returns the exit code.

    `first_run` runs iree-compile in this process, where the passes are.
    """
    command = _Command.parse(arguments)
    if command is None:  # wrong in some way that the compiler explains best
        return first_run(arguments)
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="iree-gemm-") as folder:
        module = Path(folder, "module.mlir")
        with collecting() as kernels:
            code = first_run(command.up_to_hal(module))
        if code:
            return code
        module.write_bytes(substitute_msl(module.read_bytes(), kernels))
        return subprocess.run(
            [*_COMPILER, *command.from_hal(module)], env=environment, check=False
        ).returncode


# A process of its own: the compiler runs once in a process. It needs no plugin.
_COMPILER = (sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile")


@dataclass(frozen=True)
class _Command:
    """The arguments of iree-compile, taken apart."""

    flags: tuple[str, ...]
    source: str
    output: str | None

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> _Command | None:
        """None without a source file, which is "-" or the last path that exists."""
        flags, output = _take_output(list(arguments))
        for index in reversed(range(len(flags))):
            if flags[index] == "-" or (
                not flags[index].startswith("-") and Path(flags[index]).is_file()
            ):
                source = flags.pop(index)
                return cls(tuple(flags), source, output)
        return None

    def up_to_hal(self, module: Path) -> list[str]:
        return [*self._flags(), f"--compile-to={PHASE}", "-o", str(module), self.source]

    def from_hal(self, module: Path) -> list[str]:
        output = [] if self.output is None else ["-o", self.output]
        return [*self._flags(), f"--compile-from={PHASE}", *output, str(module)]

    def _flags(self) -> list[str]:
        if any(METALLIB in flag for flag in self.flags):
            return list(self.flags)
        return [*self.flags, f"{METALLIB}=false"]


def _take_output(arguments: list[str]) -> tuple[list[str], str | None]:
    """The arguments without `-o FILE`, and the file."""
    for index, argument in enumerate(arguments):
        if match := OUTPUT.fullmatch(argument):
            end = index + (1 if match[1] is not None else 2)
            output = (
                match[1]
                if match[1] is not None
                else "".join(arguments[index + 1 : end])
            )
            return arguments[:index] + arguments[end:], output
    return arguments, None


def substitute_msl(module: bytes, kernels: Mapping[str, MslKernel]) -> bytes:
    """A module at the hal phase, as text, with the MSL of the named executables.

    An executable that nothing dispatches is not in the module, nor is one that is equal
    to another; but every one that is still empty must get its MSL.
    """
    parts: list[bytes] = []
    end = 0
    for match in EXECUTABLE.finditer(module):
        name = (match[1] or match[2]).decode()
        blob = _substitute(name, bytes.fromhex(match[3].decode()), kernels)
        if blob is not None:
            data = f'{blob.hex().upper()}"> : vector<{len(blob)}xi8>'.encode()
            parts += [module[end : match.start(3)], data]
            end = match.end()
    return b"".join([*parts, module[end:]])


def _substitute(
    name: str, blob: bytes, kernels: Mapping[str, MslKernel]
) -> bytes | None:
    """The new binary; None where the old one stays."""
    try:
        if kernel := kernels.get(name):
            return replace_kernel(blob, kernel)
        if EMPTY_KERNEL.search(read_executable(blob).text):
            raise UsageError(f"Metal executable '{name}' is empty: its MSL is missing")
    except FormatError as error:
        raise UsageError(
            f"cannot put MSL into Metal executable '{name}': {error} (it must hold MSL "
            f"text: leave out {METALLIB}=true)"
        ) from None
    return None


def kernels_of(vmfb: bytes) -> Iterator[tuple[str, MslKernel]]:
    """The Metal kernels in a finished module, by executable name."""
    suffix = "_metal_msl_fb.fb"
    with zipfile.ZipFile(io.BytesIO(vmfb)) as archive:
        for name in archive.namelist():
            if name.endswith(suffix):
                yield name.removesuffix(suffix), read_executable(archive.read(name))
