# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bindings, workgroup memory, private memory, and loads and stores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from iree.compiler import ir

from .engine import Execute, handles
from .memory import SEVERAL, Memory, View
from .types import element_dtype, is_integer, vector_shape
from .workgroup import Workgroup


@handles("hal.interface.binding.subspan")
def _subspan(op: ir.Operation) -> Execute:
    type_, binding = op.results[0].type, op.attributes["binding"].value

    def execute(group: Workgroup, *operands: np.ndarray) -> View:
        dims, offset = operands, 0
        if _segments(op)[0]:
            offset = group.uniform(operands[0], "the offset of a binding")
            dims = operands[1:]
        return _view(group, type_, dims, (group.bindings[binding], offset))

    return execute


@handles("hal.interface.constant.load")
def _constant_load(op: ir.Operation) -> Execute:
    ordinal = op.attributes["ordinal"].value
    dtype = element_dtype(op.results[0].type)
    return lambda group: np.array([group.constants[ordinal]], np.int32).view(dtype)


@handles("memref.alloc", "memref.alloca")
def _alloc(op: ir.Operation) -> Execute:
    type_ = op.results[0].type
    private = "workgroup" not in str(type_.memory_space)
    copies = "an invocation" if private else "the workgroup"

    def execute(group: Workgroup, *dims: np.ndarray) -> View:
        scalar = element_dtype(type_.element_type)
        shape = _shape(group, type_, dims)
        scalars = math.prod(shape + vector_shape(type_.element_type))
        size = scalars * scalar.itemsize * (group.invocations if private else 1)
        name = f"the memory of {copies} ({type_})"
        memory = Memory.uninitialized(size, scalar.itemsize, name)
        if not private:
            group.memories.append(memory)
        vector = vector_shape(type_.element_type)
        return View(memory, 0, shape, scalar, vector, private)

    return execute


@handles("memref.dealloc")
def _dealloc(op: ir.Operation) -> Execute:
    return lambda group, view: None


@handles("memref.assume_alignment")
def _assume_alignment(op: ir.Operation) -> Execute:
    return lambda group, view: view


@handles("memref.dim")
def _dim(op: ir.Operation) -> Execute:
    def execute(group: Workgroup, view: View, axis: np.ndarray) -> np.ndarray:
        return np.array([view.shape[group.uniform(axis, "an axis")]])

    return execute


@handles("memref.load", "vector.load")
def _load(op: ir.Operation) -> Execute:
    shape = vector_shape(op.results[0].type)
    count = math.prod(shape)

    def execute(group: Workgroup, view: View, *indices: np.ndarray) -> np.ndarray:
        rows = _Access.at(group, view, indices, count).load()
        if group.mask is not None and len(rows) > 1:
            everyone = np.zeros((group.invocations, count), rows.dtype)
            everyone[group.mask] = rows
            rows = everyone
        return rows.reshape(-1, *shape)

    return execute


@handles("memref.store", "vector.store")
def _store(op: ir.Operation) -> Execute:
    count = math.prod(vector_shape(op.operands[0].type))

    def execute(
        group: Workgroup, value: np.ndarray, view: View, *indices: np.ndarray
    ) -> None:
        if group.mask is not None and len(value) > 1:
            value = value[group.mask]
        access = _Access.at(group, view, indices, count)
        access.store(value.reshape(-1, count))

    return execute


@dataclass(frozen=True)
class _Access:
    """What active invocations touch; one row of `scalars` may stand for all of them.

    `actors` is None for private memory.
    """

    view: View
    scalars: np.ndarray
    actors: np.ndarray | None

    @staticmethod
    def at(
        group: Workgroup, view: View, indices: Sequence[np.ndarray], count: int
    ) -> "_Access":
        """An access to `count` consecutive scalars."""
        everyone = np.ones(1, bool) if group.mask is None else group.mask
        element = view.locate(indices, everyone, count // view.width)
        actors = group.actors
        if view.private:
            element = element + group.lanes * math.prod(view.shape)
        if group.mask is not None:
            actors = actors[group.mask]
            element = element[group.mask] if len(element) > 1 else element
        first = element * view.width + view.offset // view.dtype.itemsize
        scalars = first[:, None] + np.arange(count)
        if scalars.max() >= view.memory.typed(view.dtype).size:
            raise ValueError(f"access past the end of {view.memory.name}")
        return _Access(view, scalars, None if view.private else actors)

    def load(self) -> np.ndarray:
        """The scalars, row by row."""
        memory = self.view.memory
        if is_integer(self.view.dtype):
            memory.check_initialized(self._granules)
        if self.actors is not None and memory.writable:
            shared = len(self.scalars) == 1 and len(self.actors) > 1
            memory.read(self._granules, SEVERAL if shared else self.actors[:, None])
        return memory.typed(self.view.dtype)[self.scalars]

    def store(self, rows: np.ndarray) -> None:
        """Writes the scalars."""
        memory, granules = self.view.memory, self._granules
        if self.actors is None:
            memory.initialized[granules] = True
        else:
            granules = np.broadcast_to(granules, (len(self.actors), granules.shape[1]))
            memory.write(granules, self.actors[:, None])
        memory.typed(self.view.dtype)[self.scalars] = rows

    @property
    def _granules(self) -> np.ndarray:
        return self.scalars * self.view.dtype.itemsize // self.view.memory.granule


def _segments(op: ir.Operation) -> list[int]:
    return list(op.attributes["operandSegmentSizes"])


def _shape(
    group: Workgroup, type_: ir.MemRefType, dims: Sequence[np.ndarray]
) -> tuple[int, ...]:
    """Fills the dynamic extents of a type in."""
    given = (group.uniform(dim, "the extent of a memref") for dim in dims)
    return tuple(
        next(given) if type_.is_dynamic_dim(axis) else extent
        for axis, extent in enumerate(type_.shape)
    )


def _view(
    group: Workgroup,
    type_: ir.MemRefType,
    dims: Sequence[np.ndarray],
    place: tuple[Memory, int],
) -> View:
    memory, offset = place
    scalar, vector = element_dtype(type_.element_type), vector_shape(type_.element_type)
    if offset % scalar.itemsize:
        raise ValueError(f"offset {offset} is not a multiple of the element size")
    return View(memory, offset, _shape(group, type_, dims), scalar, vector)
