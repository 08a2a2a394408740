# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Bindings, constants, workgroup memory, loads and stores in MSL."""

from math import prod

from iree.compiler import ir

from iree_gemm.passes.msl.budget import LIMIT_BYTES, ThreadgroupArray
from iree_gemm.passes.msl.types import (
    BYTES,
    UnsupportedError,
    lanes,
    msl_type,
    scalar_of,
)
from iree_gemm.passes.msl.writer import Emitter, Memory, Writer

WORKGROUP_SPACE = "#gpu.address_space<workgroup>"


def emit_subspan(writer: Writer, op: ir.Operation) -> None:
    """A pointer into the argument buffer, where the runtime has applied the offset."""
    type_ = op.results[0].type
    _require_identity(type_)
    binding = op.attributes["binding"].value
    writable = binding not in writer.read_only
    pointer = f"device {'' if writable else 'const '}{msl_type(type_.element_type)}*"
    name = writer.fresh("buffer")
    source = f"buffers.b{binding}"
    if writer.bindings.setdefault(binding, pointer) != pointer:
        source = f"({pointer}){source}"
    offsets = op.attributes["operandSegmentSizes"][0]
    operands = writer.operands(op)
    offset = _elements_in(operands[:offsets], type_.element_type)
    writer.line(f"{pointer} {name} = {source}{offset};")
    sizes = _sizes(type_, operands[offsets:])
    writer.memories[op.results[0]] = Memory(
        name, "device", type_.element_type, sizes, writable
    )


def _elements_in(byte_offsets: list[str], element: ir.Type) -> str:
    """What to add to a pointer for the offset in bytes, if there is one."""
    if not byte_offsets or byte_offsets == ["0u"]:
        return ""
    return f" + {byte_offsets[0]} / {BYTES[scalar_of(element)] * lanes(element)}u"


def _require_identity(type_: ir.MemRefType) -> None:
    if not type_.layout == ir.AffineMapAttr.get(
        ir.AffineMap.get_identity(type_.rank, type_.context)
    ):
        raise UnsupportedError(f"{type_} is not contiguous")


def _sizes(type_: ir.MemRefType, dynamic: list[str]) -> tuple[str, ...]:
    """The extents as expressions: literals, or the operands of the dynamic ones."""
    rest = iter(dynamic)
    return tuple(
        next(rest) if type_.is_dynamic_dim(i) else f"{type_.shape[i]}u"
        for i in range(type_.rank)
    )


def emit_constant_load(writer: Writer, op: ir.Operation) -> None:
    """A 32-bit word of the constants that the dispatch passes."""
    result = op.results[0]
    if msl_type(result.type) not in ("int", "float"):
        raise UnsupportedError(f"a constant must be i32 or f32, not {result.type}")
    ordinal = op.attributes["ordinal"].value
    writer.constants[ordinal] = msl_type(result.type)
    writer.define(result, f"constants.c{ordinal}")


def emit_alloc(writer: Writer, op: ir.Operation) -> None:
    """Workgroup memory, declared at the top of the kernel as MSL wants it."""
    type_ = op.results[0].type
    if str(type_.memory_space) != WORKGROUP_SPACE:
        raise UnsupportedError(f"memory space {type_.memory_space} is not workgroup")
    if not type_.has_static_shape:
        raise UnsupportedError("the size of workgroup memory must be static")
    _require_identity(type_)
    count = prod(type_.shape)
    name = writer.fresh("tile")
    writer.arrays.append(f"threadgroup {msl_type(type_.element_type)} {name}[{count}];")
    _account(
        writer,
        ThreadgroupArray(
            count, BYTES[scalar_of(type_.element_type)], lanes(type_.element_type)
        ),
    )
    writer.memories[op.results[0]] = Memory(
        name, "threadgroup", type_.element_type, _sizes(type_, [])
    )


def _account(writer: Writer, array: ThreadgroupArray) -> None:
    writer.array_bytes += array.bytes
    if writer.array_bytes > LIMIT_BYTES:
        raise UnsupportedError(
            f"the kernel's workgroup memory takes {writer.array_bytes} bytes with this "
            f"array, more than the {LIMIT_BYTES} of a Metal threadgroup"
        )


def emit_alloca(writer: Writer, op: ir.Operation) -> None:
    """An array of one thread."""
    type_ = op.results[0].type
    if not type_.has_static_shape:
        raise UnsupportedError("the size of a thread's array must be static")
    _require_identity(type_)
    name = writer.fresh("local")
    writer.line(f"{msl_type(type_.element_type)} {name}[{prod(type_.shape)}];")
    writer.memories[op.results[0]] = Memory(
        name, "thread", type_.element_type, _sizes(type_, [])
    )


def emit_load(writer: Writer, op: ir.Operation) -> None:
    memory = writer.memories[op.operands[0]]
    indices = [writer.name(value) for value in list(op.operands)[1:]]
    writer.define(op.results[0], f"{memory.name}[{memory.offset(indices)}]")


def emit_store(writer: Writer, op: ir.Operation) -> None:
    value, target, *indices = op.operands
    memory = writable(writer, target)
    offset = memory.offset(writer.name(index) for index in indices)
    writer.line(f"{memory.name}[{offset}] = {writer.name(value)};")


def writable(writer: Writer, target: ir.Value) -> Memory:
    """The memory behind a memref that is stored to."""
    memory = writer.memories[target]
    if not memory.writable:
        raise UnsupportedError("store to a binding that the layout says is read-only")
    return memory


def emit_same_memory(writer: Writer, op: ir.Operation) -> None:
    """An operation that only says more about its memref."""
    writer.memories[op.results[0]] = writer.memories[op.operands[0]]


def emit_dim(writer: Writer, op: ir.Operation) -> None:
    index = writer.name(op.operands[1])
    if not index.endswith("u"):
        raise UnsupportedError("the dimension must be a constant")
    sizes = writer.memories[op.operands[0]].sizes
    writer.alias(op.results[0], sizes[int(index[:-1])])


def emit_nothing(writer: Writer, op: ir.Operation) -> None:
    """Frees and hints need no text."""


EMITTERS: dict[str, Emitter] = {
    "hal.interface.binding.subspan": emit_subspan,
    "hal.interface.constant.load": emit_constant_load,
    "memref.alloc": emit_alloc,
    "memref.alloca": emit_alloca,
    "memref.assume_alignment": emit_same_memory,
    "memref.dealloc": emit_nothing,
    "memref.dim": emit_dim,
    "memref.load": emit_load,
    "memref.store": emit_store,
}
