# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks an MSL text's types and address spaces, which the shim itself erases."""

import re
import subprocess

from msl_cpu import SHIM, compiler
from msl_translate import DIRECTIVE, THREADGROUP_ARRAY, VECTOR_CONSTRUCTOR


def mistakes(msl: str) -> list[str]:
    """The errors that a compiler with address spaces finds; none if there are none."""
    text = DIRECTIVE.sub("", msl)
    # Clang allows variables in an address space only where they are static.
    text = THREADGROUP_ARRAY.sub(r"static threadgroup \1 \2\3;", text)
    text = VECTOR_CONSTRUCTOR.sub(r"msl::construct<\1>(", text)
    flags = ["-std=c++17", "-fsyntax-only", "-x", "c++", "-Wno-unknown-attributes"]
    include = ["-include", str(SHIM / "address_spaces.h")]
    command = [compiler(), *flags, *include, "-"]
    checked = subprocess.run(command, input=text, capture_output=True, text=True)
    return re.findall(r"error: .*", checked.stderr)
