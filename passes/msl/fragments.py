# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Fragments (`gpu.subgroup_mma_*`) as MSL's simdgroup matrices of 8 x 8."""

from iree.compiler import ir

from iree_gemm.passes.msl.memory import writable
from iree_gemm.passes.msl.types import (
    BYTES,
    UnsupportedError,
    element_bytes,
    enumerator,
    matrix_name,
    msl_type,
    scalar_of,
)
from iree_gemm.passes.msl.writer import Emitter, Memory, Writer, in_parentheses

ELEMENTWISE = {
    "addf": "{0} + {1}",
    "subf": "{0} - {1}",
    "mulf": "{0} * {1}",
    "divf": "{0} / {1}",
    "maxf": "max({0}, {1})",
    "minf": "min({0}, {1})",
    "negatef": "-{0}",
    "extf": "float({0})",
}
ELEMENTS_PER_LANE = 2


def _place(writer: Writer, op: ir.Operation, memory: Memory, matrix: ir.Value) -> str:
    """Pointer, elements between rows, and the transposition, as MSL's arguments."""
    scalar = scalar_of(matrix.type)
    scale = _scalars(memory, scalar)
    first = 2 if op.name.endswith("store_matrix") else 1
    indices = [writer.name(index) for index in list(op.operands)[first:]]
    pointer, offset, lead = memory.name, memory.offset(indices), _lead(op, memory)
    if msl_type(memory.element) != scalar:
        constness = "" if memory.writable else "const "
        pointer = f"({memory.space} {constness}{scalar}*){pointer}"
    if scale > 1:
        offset, lead = f"{in_parentheses(offset)} * {scale}u", f"{lead} * {scale}u"
    transposed = ", ulong2(0, 0), true" if "transpose" in op.attributes else ""
    return f"{pointer} + {offset}, {lead}{transposed}"


def _scalars(memory: Memory, scalar: str) -> int:
    """Fragment elements in one element of the memory."""
    count, rest = divmod(element_bytes(memory.element), BYTES[scalar])
    if rest or not count:
        raise UnsupportedError(f"elements of {memory.element} do not hold {scalar}")
    return count


def _lead(op: ir.Operation, memory: Memory) -> str:
    """In elements of the memory; 0 stands for the length of its rows."""
    lead = op.attributes["leadDimension"].value
    return f"{lead}u" if lead else memory.sizes[-1]


def emit_load(writer: Writer, op: ir.Operation) -> None:
    result = op.results[0]
    memory = writer.memories[op.operands[0]]
    place = _place(writer, op, memory, result)
    name = writer.declare(result, prefix="m")
    writer.line(f"simdgroup_load({name}, {place});")


def emit_store(writer: Writer, op: ir.Operation) -> None:
    memory = writable(writer, op.operands[1])
    place = _place(writer, op, memory, op.operands[0])
    writer.line(f"simdgroup_store({writer.name(op.operands[0])}, {place});")


def emit_constant(writer: Writer, op: ir.Operation) -> None:
    matrix_name(op.results[0].type)
    scalar = scalar_of(op.results[0].type)
    value = writer.name(op.operands[0])
    filled = f"make_filled_simdgroup_matrix<{scalar}, 8, 8>({value})"
    writer.declare(op.results[0], filled, prefix="m")


def emit_compute(writer: Writer, op: ir.Operation) -> None:
    """The sum goes into the old accumulator's variable when nothing else reads it."""
    if {"a_transpose", "b_transpose"} & {str(name) for name in op.attributes}:
        raise UnsupportedError("transpose fragments where they are loaded")
    left, right, old = op.operands
    result = op.results[0]
    if _only_read_here(old, op):
        writer.alias(result, writer.name(old))
    else:
        writer.declare(result, prefix="m")
    names = (writer.name(value) for value in (result, left, right, old))
    writer.line(f"simdgroup_multiply_accumulate({', '.join(names)});")


def _only_read_here(value: ir.Value, op: ir.Operation) -> bool:
    """Also that it is made as often as it is read: in the same block."""
    owner = value.owner
    block = owner if isinstance(owner, ir.Block) else ir.InsertionPoint(owner).block
    return len(list(value.uses)) == 1 and block == ir.InsertionPoint(op).block


def emit_elementwise(writer: Writer, op: ir.Operation) -> None:
    kind = enumerator(op.attributes["opType"])
    if kind not in ELEMENTWISE:
        raise UnsupportedError(f"{kind} on fragments")
    arguments = writer.operands(op)
    name = writer.declare(op.results[0], prefix="m")
    for lane_element in range(ELEMENTS_PER_LANE):
        parts = [
            f"{argument}.thread_elements()[{lane_element}]" for argument in arguments
        ]
        text = ELEMENTWISE[kind].format(*parts)
        writer.line(f"{name}.thread_elements()[{lane_element}] = {text};")


def emit_extract(writer: Writer, op: ir.Operation) -> None:
    matrix, index = writer.operands(op)
    writer.define(op.results[0], f"{matrix}.thread_elements()[{index}]")


def emit_insert(writer: Writer, op: ir.Operation) -> None:
    value, matrix, index = writer.operands(op)
    name = writer.declare(op.results[0], matrix, prefix="m")
    writer.line(f"{name}.thread_elements()[{index}] = {value};")


OPERATIONS = {
    "load_matrix": emit_load,
    "store_matrix": emit_store,
    "constant_matrix": emit_constant,
    "compute": emit_compute,
    "elementwise": emit_elementwise,
    "extract_thread_local": emit_extract,
    "insert_thread_local": emit_insert,
}
EMITTERS: dict[str, Emitter] = {
    f"gpu.subgroup_mma_{name}": emitter for name, emitter in OPERATIONS.items()
}
