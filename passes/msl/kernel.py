# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A kernel function as a whole MSL source, in the calling convention of IREE's runtime.

Buffer 0 is an argument buffer with every binding of the layout, buffer 3 the constants;
threadgroup memory is declared in the body, since the runtime sets no lengths.
"""

import re
from collections.abc import Iterable

from iree.compiler import ir

from iree_gemm.errors import GemmError
from iree_gemm.metal_kernels import MslKernel
from iree_gemm.passes.msl import (
    arith,
    control,
    fragments,
    gpu,
    helpers,
    math,
    memory,
    vectors,
)
from iree_gemm.passes.msl.types import SCALARS
from iree_gemm.passes.msl.writer import Writer

EMITTERS = {
    **arith.EMITTERS,
    **control.EMITTERS,
    **fragments.EMITTERS,
    **gpu.EMITTERS,
    **math.EMITTERS,
    **memory.EMITTERS,
    **vectors.EMITTERS,
}
# The runtime compiles with fast math. Compilers that know the pragma (since macOS 15)
# then keep NaN and the order of additions; older ones ignore it.
HEADER = (
    "#include <metal_stdlib>",
    "#pragma METAL fp math_mode(safe)",
    "using namespace metal;",
    "",
)
PARAMETERS = {
    "group": "uint3 group [[threadgroup_position_in_grid]]",
    "groups": "uint3 groups [[threadgroups_per_grid]]",
    "thread_id": "uint3 thread_id [[thread_position_in_threadgroup]]",
    "simd": "uint simd [[simdgroup_index_in_threadgroup]]",
    "lane": "uint lane [[thread_index_in_simdgroup]]",
}
# What may touch a bf16, which is only carried.
ON_BF16 = {
    "arith.bitcast",
    "arith.constant",
    "arith.extf",
    "arith.select",
    "arith.truncf",
}
MAX_THREADS = 1024
MAX_BINDINGS = 16
MAX_CONSTANTS = 64
RESERVED = {"main", "kernel", "device", "constant", "thread", "threadgroup", "half"}


def inexpressible(name: str, types: Iterable[str]) -> str | None:
    """Why an operation on elements of these types has no MSL; None where it has."""
    if name not in EMITTERS:
        return f"{name} has no counterpart in the Metal kernel language"
    for type_ in types:
        if type_ not in SCALARS:
            return f"{name} on {type_}, a type that the Metal kernel language lacks"
        if type_ == "bf16" and name not in ON_BF16:
            return f"{name} on bf16, which Metal kernels can only convert"
    return None


def emit_msl(function: ir.Operation) -> MslKernel:
    """The MSL of a `func.func` of kernel IR; GemmError where something has no MSL."""
    threads = _threads(function)
    layout = _layout(function)
    writer = Writer(EMITTERS, workgroup_size=threads, read_only=_read_only(layout))
    for block in function.regions[0].blocks:
        writer.block(block)
    entry = _entry(function)
    text = "\n".join(
        [
            *HEADER,
            *([helpers.helper_text(writer.helpers)] if writer.helpers else []),
            *_buffers(writer, _count(layout, function)),
            *_constants(writer),
            *_kernel(writer, entry),
        ]
    )
    return MslKernel(text, entry, threads)


def _threads(function: ir.Operation) -> tuple[int, int, int]:
    try:
        size = function.attributes["translation_info"].workgroup_size
    except (KeyError, AttributeError):
        message = "a kernel needs translation_info with a workgroup size"
        raise GemmError(message, function.location) from None
    x, y, z = (*size, 1, 1, 1)[:3]
    if not 0 < x * y * z <= MAX_THREADS:
        message = f"{x * y * z} threads a workgroup; Metal takes 1 to {MAX_THREADS}"
        raise GemmError(message, function.location)
    return x, y, z


def _layout(function: ir.Operation) -> str:
    """The text of the pipeline layout that the kernel's interface ops name."""
    for op in function.regions[0].blocks[0].operations:
        if "layout" in op.operation.attributes and op.operation.name.startswith("hal."):
            return str(op.operation.attributes["layout"])
    return ""


def _bindings(layout: str) -> list[str]:
    return re.findall(r"#hal\.pipeline\.binding<([^>]*)>", layout)


def _read_only(layout: str) -> frozenset[int]:
    return frozenset(
        i for i, flags in enumerate(_bindings(layout)) if "ReadOnly" in flags
    )


def _count(layout: str, function: ir.Operation) -> int:
    count = len(_bindings(layout))
    constants = re.search(r"constants = (\d+)", layout)
    if count > MAX_BINDINGS or (constants and int(constants[1]) > MAX_CONSTANTS):
        message = (
            f"the layout has {count} bindings; Metal kernels of IREE take "
            f"{MAX_BINDINGS}, and {MAX_CONSTANTS} constants"
        )
        raise GemmError(message, function.location)
    return count


def _entry(function: ir.Operation) -> str:
    """The function's name as an MSL identifier."""
    name = re.sub(r"\W", "_", function.attributes["sym_name"].value, flags=re.ASCII)
    return f"kernel_{name}" if name in RESERVED or name[0].isdigit() else name


def _buffers(writer: Writer, count: int) -> list[str]:
    """Every binding is declared: the runtime's encoder sets all of them."""
    if not count:
        return []
    members = [
        f"  {writer.bindings.get(i, 'device const uchar*')} b{i} [[id({i})]];"
        for i in range(count)
    ]
    return ["struct Buffers {", *members, "};"]


def _constants(writer: Writer) -> list[str]:
    """Words up to the last one that is read; the rest is passed unseen."""
    if not writer.constants:
        return []
    members = [
        f"  {writer.constants.get(i, 'int')} c{i};"
        for i in range(max(writer.constants) + 1)
    ]
    return ["struct Constants {", *members, "};"]


def _kernel(writer: Writer, entry: str) -> list[str]:
    parameters = [
        text for name, text in PARAMETERS.items() if name in writer.parameters
    ]
    if writer.constants:
        parameters.insert(0, "constant Constants& constants [[buffer(3)]]")
    if writer.bindings:
        parameters.insert(0, "constant Buffers& buffers [[buffer(0)]]")
    x, y, z = writer.workgroup_size
    return [
        f"[[max_total_threads_per_threadgroup({x * y * z})]]",
        f"kernel void {entry}(",
        ",\n".join(f"    {parameter}" for parameter in parameters) + ") {",
        *(f"  {array}" for array in writer.arrays),
        *writer.lines,
        "}",
        "",
    ]
