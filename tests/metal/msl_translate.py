# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Rewrites the text of an MSL kernel to C++ for the CPU shim, line for line."""

import re
from dataclasses import dataclass

BUILT_IN = {
    "thread_position_in_threadgroup": "msl::group->current().position",
    "threadgroup_position_in_grid": "msl::group->id",
    "thread_position_in_grid": "msl::position_in_grid()",
    "threads_per_threadgroup": "msl::group->size",
    "threadgroups_per_grid": "msl::group->grid",
    "thread_index_in_threadgroup": "msl::group->now",
    "thread_index_in_simdgroup": "msl::group->now % msl::simd_width",
    "simdgroup_index_in_threadgroup": "msl::group->simd_of(msl::group->now)",
    "simdgroups_per_threadgroup": "unsigned(msl::group->simds.size())",
    "threads_per_simdgroup": "msl::simd_width",
}
SCALARS = "char|uchar|short|ushort|int|uint|long|ulong|half|float|bool"
CONSTANTS_INDEX = 3  # where IREE's runtime binds the constants
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"#(include|pragma)[^\n]*|using namespace metal;")
SPIRV_CROSS_ARRAY = re.compile(
    r"template<typename T, size_t Num>\s*struct spvUnsafeArray\s*\{.*?\n\};", re.DOTALL
)
THREADGROUP_ARRAY = re.compile(
    r"\bthreadgroup\s+([\w:]+(?:\s*<[^;>]*>)?)\s+(\w+)((?:\s*\[[^\]]*\])*)\s*;"
)
VECTOR_CONSTRUCTOR = re.compile(rf"(?<![\w<:.])((?:{SCALARS})[234])\(")
ADDRESS_SPACE = re.compile(r"\b(device|constant|thread|threadgroup|kernel)\b")


@dataclass(frozen=True)
class Parameter:
    """`kind name [[attribute]]` of a kernel."""

    kind: str
    name: str
    attribute: str


def to_cpp(msl: str, entry: str) -> str:
    """C++ with a function `msl_run` that runs the kernel over a grid."""
    if not msl.isascii():
        raise ValueError("MSL must be ASCII: Metal reads it in the system's encoding")
    text = _drop(SPIRV_CROSS_ARRAY, _drop(COMMENT, msl))
    text = _arrays(_drop(DIRECTIVE, text))
    text = VECTOR_CONSTRUCTOR.sub(r"msl::construct<\1>(", ADDRESS_SPACE.sub("", text))
    setup, arguments = [], []
    for parameter in _parameters(text, entry):
        lines, argument = _argument(text, parameter)
        setup += lines
        arguments.append(argument)
    return _WRAPPER.format(
        text=text, setup=" ".join(setup), entry=entry, arguments=", ".join(arguments)
    )


_WRAPPER = """\
#include "metal_stdlib.h"
#line 1
{text}
extern "C" const char* msl_run(void** buffers, void* constants, const unsigned* g,
                               const unsigned* s, unsigned workers, bool backwards) {{
  static std::string error;
  uint3 grid{{g[0], g[1], g[2]}}, size{{s[0], s[1], s[2]}};
  {setup}
  error = msl::run_grid(grid, size, workers, backwards,
                        [&] {{ {entry}({arguments}); }});
  return error.c_str();
}}
"""


def _drop(pattern: re.Pattern, text: str) -> str:
    """Removes matches but keeps their line breaks."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), text)


def _arrays(text: str) -> str:
    """Threadgroup variables become references into the group's memory."""
    count = 0

    def replace(match: re.Match) -> str:
        nonlocal count
        count += 1
        kind, name, extents = match.groups()
        return (
            f"auto& {name} = msl::threadgroup_memory<{kind}{extents}, {count - 1}>();"
        )

    return THREADGROUP_ARRAY.sub(replace, text)


def _parameters(text: str, entry: str) -> list[Parameter]:
    found = re.search(rf"\bvoid\s+{entry}\s*\((.*?)\)\s*\{{", text, re.DOTALL)
    if not found:
        raise ValueError(f"no kernel {entry} in the text")
    parts = re.split(r",(?![^<(\[]*[>)\]])", found[1])
    form = re.compile(r"(.*?)\s*(\w+)\s*\[\[(.*)\]\]", re.DOTALL)
    return [
        Parameter(*form.fullmatch(part.strip()).groups())
        for part in parts
        if part.strip()
    ]


def _argument(text: str, parameter: Parameter) -> tuple[list[str], str]:
    """Statements that come first, and the expression to pass."""
    buffer = re.fullmatch(r"buffer\((\d+)\)", parameter.attribute)
    if not buffer:
        value = BUILT_IN[parameter.attribute]
        return [], f"msl::narrow<{parameter.kind}>({value})"
    kind = re.sub(r"\bconst\b", "", parameter.kind).strip()
    if int(buffer[1]) == CONSTANTS_INDEX:
        if kind.endswith("&"):
            return [], f"*({kind.rstrip('& ')}*)constants"
        return [], f"({kind})constants"
    if not kind.endswith("&"):
        return [], f"({kind})buffers[{buffer[1]}]"
    return _argument_buffer(text, kind.rstrip("& "))


def _argument_buffer(text: str, struct: str) -> tuple[list[str], str]:
    """A local of the struct with every binding in its place."""
    members = re.search(rf"struct\s+{struct}\s*\{{(.*?)\}}", text, re.DOTALL)[1]
    lines = [f"{struct} table;"]
    for name, index in re.findall(r"(\w+)\s*\[\[id\((\d+)\)\]\]", members):
        lines.append(f"table.{name} = (decltype(table.{name}))buffers[{index}];")
    return lines, "table"
