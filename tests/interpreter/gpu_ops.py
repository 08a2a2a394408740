# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions, barriers, and what the invocations of a subgroup do together."""

import re
from collections.abc import Callable

import numpy as np
from iree.compiler import ir

from .arithmetic import COMBINERS
from .engine import HANDLERS, Execute, handles
from .workgroup import Workgroup

_AXES = "xyz"


def _position(name: str, coordinates: Callable[[Workgroup, int], object]) -> None:
    def handler(op: ir.Operation) -> Execute:
        axis = _axis(op.attributes["dimension"])
        return lambda group: np.atleast_1d(np.asarray(coordinates(group, axis)))

    HANDLERS[name] = handler


def _axis(dimension: ir.Attribute) -> int:
    if isinstance(dimension, ir.IntegerAttr):
        return dimension.value
    return _AXES.index(_keyword(dimension))


def _keyword(attribute: ir.Attribute) -> str:
    """The `x` of `#gpu.dim<x>`."""
    return re.search(r"<(\w+)>", str(attribute)).group(1)


def _thread_id(group: Workgroup, axis: int) -> object:
    if group.size[axis] == 1:
        return 0
    before = int(np.prod(group.size[:axis]))
    return group.lanes // before % group.size[axis]


_position("gpu.thread_id", _thread_id)
for _name in ("gpu.block_id", "hal.interface.workgroup.id"):
    _position(_name, lambda group, axis: group.position[axis])
for _name in ("gpu.grid_dim", "hal.interface.workgroup.count"):
    _position(_name, lambda group, axis: group.count[axis])
for _name in ("gpu.block_dim", "hal.interface.workgroup.size"):
    _position(_name, lambda group, axis: group.size[axis])


@handles("gpu.lane_id")
def _lane_id(op: ir.Operation) -> Execute:
    return lambda group: group.lanes % group.subgroup_size


@handles("gpu.subgroup_id")
def _subgroup_id(op: ir.Operation) -> Execute:
    return lambda group: group.lanes // group.subgroup_size


@handles("gpu.num_subgroups")
def _num_subgroups(op: ir.Operation) -> Execute:
    return lambda group: np.array([group.subgroups])


@handles("gpu.subgroup_size")
def _subgroup_size(op: ir.Operation) -> Execute:
    return lambda group: np.array([group.subgroup_size])


@handles("gpu.barrier")
def _barrier(op: ir.Operation) -> Execute:
    if (scope := _keyword(op.attributes["scope"])) != "workgroup":
        raise ValueError(f"the interpreter knows no barrier of scope {scope}")
    spaces = op.attributes.get("address_spaces")
    covers = spaces is None or "workgroup" in str(spaces)

    def execute(group: Workgroup) -> None:
        if group.mask is not None:
            raise ValueError("not every invocation of the workgroup gets here")
        for memory in group.memories if covers else ():
            memory.barrier()

    return execute


@handles("gpu.shuffle")
def _shuffle(op: ir.Operation) -> Execute:
    mode = _keyword(op.attributes["mode"])

    def execute(
        group: Workgroup, value: np.ndarray, offset: np.ndarray, width: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        group.active_subgroups()
        size = group.uniform(width, "the width of a shuffle")
        lane = group.lanes % size
        first = group.lanes - lane
        source = _SOURCES[mode](lane, offset)
        valid = (source >= 0) & (source < size)
        value = np.broadcast_to(value, (group.invocations, *value.shape[1:]))
        return value[first + np.where(valid, source, lane)], valid

    return execute


_SOURCES = {
    "xor": np.bitwise_xor,
    "up": np.subtract,
    "down": np.add,
    "idx": lambda lane, offset: np.broadcast_to(offset, lane.shape),
}


@handles("gpu.subgroup_reduce")
def _subgroup_reduce(op: ir.Operation) -> Execute:
    combine = COMBINERS[_keyword(op.attributes["op"])]
    cluster = op.attributes.get("cluster_size")
    if op.attributes["cluster_stride"].value != 1:
        raise ValueError("the interpreter knows no cluster stride but 1")

    def execute(group: Workgroup, value: np.ndarray) -> np.ndarray:
        group.active_subgroups()
        size = cluster.value if cluster else group.subgroup_size
        value = np.broadcast_to(value, (group.invocations, *value.shape[1:]))
        parts = value.reshape(-1, size, *value.shape[1:])
        while parts.shape[1] > 1:
            half = parts.shape[1] // 2
            parts = combine(parts[:, :half], parts[:, half:])
        return np.repeat(parts[:, 0], size, axis=0)

    return execute


@handles("gpu.subgroup_broadcast")
def _subgroup_broadcast(op: ir.Operation) -> Execute:
    def execute(
        group: Workgroup, value: np.ndarray, lane: np.ndarray | None = None
    ) -> np.ndarray:
        group.active_subgroups()
        source = 0 if lane is None else group.uniform(lane, "the lane of a broadcast")
        value = np.broadcast_to(value, (group.invocations, *value.shape[1:]))
        lanes = group.lanes
        return value[lanes - lanes % group.subgroup_size + source]

    return execute
