# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Thread and group positions, barriers and subgroup operations in MSL."""

from iree.compiler import ir

from iree_gemm.passes.msl.memory import WORKGROUP_SPACE
from iree_gemm.passes.msl.types import UnsupportedError, enumerator, is_bf16
from iree_gemm.passes.msl.writer import Emitter, Writer

AXES = "xyz"
SIMD_WIDTH = 32
SHUFFLES = {
    "xor": "simd_shuffle_xor",
    "up": "simd_shuffle_up",
    "down": "simd_shuffle_down",
    "idx": "simd_shuffle",
}
REDUCTIONS = {
    "add": "simd_sum",
    "mul": "simd_product",
    "maxnumf": "simd_max",
    "maximumf": "simd_max",
    "maxsi": "simd_max",
    "minnumf": "simd_min",
    "minimumf": "simd_min",
    "minsi": "simd_min",
}


def _axis(op: ir.Operation) -> str:
    """x, y or z, from the gpu or the hal spelling."""
    attribute = op.attributes["dimension"]
    if isinstance(attribute, ir.IntegerAttr):
        return AXES[attribute.value]
    return enumerator(attribute)


def emit_thread_id(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], f"{writer.parameter('thread_id')}.{_axis(op)}")


def emit_workgroup_id(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], f"{writer.parameter('group')}.{_axis(op)}")


def emit_workgroup_count(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], f"{writer.parameter('groups')}.{_axis(op)}")


def emit_workgroup_size(writer: Writer, op: ir.Operation) -> None:
    size = writer.workgroup_size[AXES.index(_axis(op))]
    writer.alias(op.results[0], f"{size}u")


def emit_subgroup_id(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], writer.parameter("simd"))


def emit_lane_id(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], writer.parameter("lane"))


def emit_subgroup_size(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], f"{SIMD_WIDTH}u")


def emit_barrier(writer: Writer, op: ir.Operation) -> None:
    """Fences what the operation names, or both memories where it names none."""
    flags = "mem_flags::mem_device | mem_flags::mem_threadgroup"
    if "address_spaces" in op.attributes:
        spaces = {str(space) for space in op.attributes["address_spaces"]}
        if spaces <= {WORKGROUP_SPACE}:
            flags = "mem_flags::mem_threadgroup" if spaces else "mem_flags::mem_none"
    writer.line(f"threadgroup_barrier({flags});")


def emit_shuffle(writer: Writer, op: ir.Operation) -> None:
    value, offset, width = writer.operands(op)
    mode = enumerator(op.attributes["mode"])
    if width != str(SIMD_WIDTH):
        raise UnsupportedError(f"a shuffle's width must be the constant {SIMD_WIDTH}")
    if is_bf16(op.operands[0].type):
        raise UnsupportedError("bf16 values; shuffle their f32")
    writer.define(op.results[0], f"{SHUFFLES[mode]}({value}, ushort({offset}))")
    writer.alias(op.results[1], _source_exists(writer, mode, offset))


def _source_exists(writer: Writer, mode: str, offset: str) -> str:
    match mode:
        case "up":
            return f"({writer.parameter('lane')} >= uint({offset}))"
        case "down":
            lane = writer.parameter("lane")
            return f"({lane} + uint({offset}) < {SIMD_WIDTH}u)"
    return "true"


def emit_subgroup_reduce(writer: Writer, op: ir.Operation) -> None:
    kind = enumerator(op.attributes["op"])
    if kind not in REDUCTIONS or "cluster_size" in op.attributes:
        raise UnsupportedError(f"reduction {kind} over a part of the subgroup")
    writer.define(op.results[0], f"{REDUCTIONS[kind]}({writer.name(op.operands[0])})")


EMITTERS: dict[str, Emitter] = {
    "gpu.barrier": emit_barrier,
    "gpu.block_dim": emit_workgroup_size,
    "gpu.block_id": emit_workgroup_id,
    "gpu.lane_id": emit_lane_id,
    "gpu.shuffle": emit_shuffle,
    "gpu.subgroup_id": emit_subgroup_id,
    "gpu.subgroup_reduce": emit_subgroup_reduce,
    "gpu.subgroup_size": emit_subgroup_size,
    "gpu.thread_id": emit_thread_id,
    "hal.interface.workgroup.count": emit_workgroup_count,
    "hal.interface.workgroup.id": emit_workgroup_id,
    "hal.interface.workgroup.size": emit_workgroup_size,
}
