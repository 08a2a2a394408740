# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs Metal kernels on the CPU: translated to C++, built with clang, then called."""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msl_translate import to_cpp

SHIM = Path(__file__).parent / "shim"
COMPILERS = ("clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++")
OLDEST_CLANG = 16
FLAGS = ("-std=c++17", "-O2", "-march=native", "-fPIC", "-shared", "-pthread", "-w")
GUARD_BYTES = 4096
GUARD = 0xFF  # NaN in every floating-point type


class MslError(Exception):
    """A kernel that does not build, or that does something wrong while it runs."""


@functools.cache
def compiler() -> str:
    """The clang to build with; RuntimeError says what to install."""
    for name in filter(None, (os.environ.get("MSL_CLANG"), *COMPILERS)):
        if shutil.which(name) and _version(name) >= OLDEST_CLANG:
            return name
    raise RuntimeError(
        f"the CPU shim for Metal kernels needs clang {OLDEST_CLANG} or newer: "
        "apt-get install clang-16, or set MSL_CLANG"
    )


def _version(name: str) -> int:
    printed = subprocess.run([name, "-dumpversion"], capture_output=True, text=True)
    major = printed.stdout.split(".")[0]
    return int(major) if major.isdigit() else 0


@functools.cache
def _cache() -> Path:
    """For built kernels; lives as long as the process unless MSL_CACHE names it."""
    if folder := os.environ.get("MSL_CACHE"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        return Path(folder)
    holder = tempfile.TemporaryDirectory(prefix="msl-")
    _cache.holder = holder
    return Path(holder.name)


@functools.cache
def _headers() -> str:
    return "".join(path.read_text() for path in sorted(SHIM.glob("*.h")))


def _build(cpp: str) -> Path:
    """The shared library of a translated kernel."""
    key = "\0".join([cpp, _headers(), compiler(), *FLAGS])
    library = _cache() / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.so"
    if library.exists():
        return library
    source = library.with_suffix(f".{os.getpid()}.cpp")
    source.write_text(cpp)
    partial = source.with_suffix(".so")
    _compile("-include-pch", str(_precompiled()), str(source), "-o", str(partial))
    partial.replace(library)
    return library


@functools.cache
def _precompiled() -> Path:
    """The shim's headers, which take longer to read than a kernel takes to build."""
    header = _cache() / f"metal_stdlib.{os.getpid()}.pch"
    _compile("-x", "c++-header", str(SHIM / "metal_stdlib.h"), "-o", str(header))
    return header


def _compile(*arguments: str) -> None:
    command = [compiler(), *FLAGS, f"-I{SHIM}", *arguments]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        raise MslError(built.stderr)


class Kernel:
    """A kernel of an MSL text, to be called like a dispatch."""

    def __init__(self, msl: str, entry: str) -> None:
        self._run = ctypes.CDLL(str(_build(to_cpp(msl, entry)))).msl_run
        self._run.restype = ctypes.c_char_p

    def __call__(
        self,
        buffers: Sequence[np.ndarray],
        grid: Sequence[int],
        threads: Sequence[int],
        constants: Sequence[int] = (),
        *,
        backwards: bool = False,
    ) -> None:
        """Runs a grid of threadgroups; what is written is written to the arrays.

        Around each array lie NaNs, which must still be there afterwards, as must be
        what is in an array that is not writeable.
        """
        guarded = [_Guarded(array) for array in buffers]
        pointers = (ctypes.c_void_p * len(guarded))(*[item.address for item in guarded])
        words = np.array([*constants, 0], np.int64).astype(np.uint32)
        error = self._run(
            pointers,
            words.ctypes.data_as(ctypes.c_void_p),
            (ctypes.c_uint * 3)(*grid),
            (ctypes.c_uint * 3)(*threads),
            os.cpu_count(),
            backwards,
        )
        if error:
            raise MslError(error.decode())
        for index, item in enumerate(guarded):
            item.copy_back(index)


class _Guarded:
    """A copy of an array between two guards."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.bytes = np.full(array.nbytes + 2 * GUARD_BYTES, GUARD, np.uint8)
        self.inside = slice(GUARD_BYTES, GUARD_BYTES + array.nbytes)
        self.bytes[self.inside] = np.frombuffer(array.tobytes(), np.uint8)
        self.address = self.bytes.ctypes.data + GUARD_BYTES

    def copy_back(self, index: int) -> None:
        before, after = self.bytes[:GUARD_BYTES], self.bytes[self.inside.stop :]
        if not (before == GUARD).all() or not (after == GUARD).all():
            raise MslError(f"writes outside of buffer {index}")
        values = self.bytes[self.inside]
        if self.array.flags.writeable:
            self.array[...] = values.view(self.array.dtype).reshape(self.array.shape)
        elif values.tobytes() != self.array.tobytes():
            raise MslError(f"writes to the read-only buffer {index}")
