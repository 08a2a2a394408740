# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix fragments: one array for each subgroup, in no layout that a kernel sees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np
from iree.compiler import ir

from .arithmetic import COMBINERS, Function
from .engine import Execute, handles
from .memory import SEVERAL, View
from .types import FragmentType, is_integer
from .workgroup import Workgroup

_ALIGNMENT = 16
"""VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986 wants address and stride to be
multiples of this many bytes, or of a row (column) if that is shorter.
"""
_METAL_SIZE = 8
"""Rows of Metal's matrices, which lie anywhere."""


@dataclass(frozen=True)
class _Layout:
    """How a fragment lies in memory.

    `lead` is in elements of the memref; 0 stands for those of its rows.
    """

    fragment: FragmentType
    lead: int
    transposed: bool

    @staticmethod
    def of(op: ir.Operation, type_: ir.Type) -> "_Layout":
        """That of a load or a store."""
        lead, attributes = op.attributes["leadDimension"].value, op.attributes
        fragment = FragmentType.parse(type_)
        if fragment.dtype == np.float16 and _is_bfloat16(op):
            fragment = replace(fragment, dtype=np.dtype(ml_dtypes.bfloat16))
        return _Layout(fragment, lead, "transpose" in attributes)

    def offsets(self, view: View) -> np.ndarray:
        """Scalars from the first to each of the others."""
        lead = self.lead or view.shape[-1]
        size, lead_bytes = self.fragment.dtype.itemsize, lead * view.element_bytes
        self._check_alignment(np.array([lead_bytes]), "lead dimension")
        rows, columns = self.fragment.rows, self.fragment.columns
        if self.transposed:
            return np.arange(rows)[:, None] + np.arange(columns) * (lead_bytes // size)
        return np.arange(rows)[:, None] * (lead_bytes // size) + np.arange(columns)

    def place(
        self, group: Workgroup, view: View, indices: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The scalars of each active subgroup, and the granules that hold them."""
        active = group.active_subgroups()
        at = [group.per_subgroup(index, "an index") for index in indices]
        element = np.broadcast_to(view.locate(at, active), active.shape)[active]
        first = view.offset + element * view.element_bytes
        self._check_alignment(first, "address")
        size = self.fragment.dtype.itemsize
        scalars = first[:, None, None] // size + self.offsets(view)
        if scalars.max() >= view.memory.typed(self.fragment.dtype).size:
            raise ValueError(f"the fragment goes past the end of {view.memory.name}")
        return scalars, scalars.reshape(len(scalars), -1) * size // view.memory.granule

    def _check_alignment(self, positions: np.ndarray, what: str) -> None:
        if self.fragment.rows == _METAL_SIZE:
            return
        run = self.fragment.rows if self.transposed else self.fragment.columns
        wanted = min(_ALIGNMENT, run * self.fragment.dtype.itemsize)
        if (wrong := positions % wanted != 0).any():
            text = f"{positions[wrong][0]} bytes, not a multiple of {wanted}"
            raise ValueError(f"the {what} is {text}")


def _is_bfloat16(op: ir.Operation) -> bool:
    """Whether f16 fragments of the kernel stand for bfloat16 ones."""
    while op.name != "func.func":
        op = op.parent.operation
    return "gemm.bfloat16" in op.attributes


@handles("gpu.subgroup_mma_load_matrix")
def _load(op: ir.Operation) -> Execute:
    layout = _Layout.of(op, op.results[0].type)
    dtype = layout.fragment.dtype

    def execute(group: Workgroup, view: View, *indices: np.ndarray) -> np.ndarray:
        active, memory = group.active_subgroups(), view.memory
        scalars, granules = layout.place(group, view, indices)
        if is_integer(dtype):
            memory.check_initialized(granules)
        if memory.writable:
            memory.read(granules, group.subgroup_actors[active, None])
            # In a binding, a subgroup may overwrite the fragment that it has read, as
            # a product in place does.
            if memory in group.memories:
                memory.reader[granules] = SEVERAL
        loaded = np.zeros((len(active), *scalars.shape[1:]), dtype)
        loaded[active] = memory.typed(dtype)[scalars]
        return loaded

    return execute


@handles("gpu.subgroup_mma_store_matrix")
def _store(op: ir.Operation) -> Execute:
    layout = _Layout.of(op, op.operands[0].type)

    def execute(
        group: Workgroup, fragment: np.ndarray, view: View, *indices: np.ndarray
    ) -> None:
        active, memory = group.active_subgroups(), view.memory
        scalars, granules = layout.place(group, view, indices)
        if np.unique(scalars[0]).size != scalars[0].size:
            raise ValueError("rows of the fragment overlap")
        memory.write(granules, group.subgroup_actors[active, None])
        memory.writer[granules] = SEVERAL
        values = np.broadcast_to(fragment, (len(active), *scalars.shape[1:]))
        memory.typed(fragment.dtype)[scalars] = values[active]

    return execute


@handles("gpu.subgroup_mma_constant_matrix")
def _constant(op: ir.Operation) -> Execute:
    type_ = FragmentType.parse(op.results[0].type)

    def execute(group: Workgroup, value: np.ndarray) -> np.ndarray:
        value = group.per_subgroup(value, "the value of a constant fragment")
        shape = (len(value), type_.rows, type_.columns)
        return np.broadcast_to(value.astype(type_.dtype)[:, None, None], shape)

    return execute


@handles("gpu.subgroup_mma_compute")
def _compute(op: ir.Operation) -> Execute:
    flip_a, flip_b = ("a_transpose" in op.attributes, "b_transpose" in op.attributes)
    dtype = FragmentType.parse(op.results[0].type).dtype
    wide = np.int32 if is_integer(dtype) else np.float32

    def execute(
        group: Workgroup, a: np.ndarray, b: np.ndarray, c: np.ndarray
    ) -> np.ndarray:
        group.active_subgroups()
        a = a.swapaxes(1, 2) if flip_a else a
        b = b.swapaxes(1, 2) if flip_b else b
        return (a.astype(wide) @ b.astype(wide) + c).astype(dtype, copy=False)

    return execute


_ELEMENTWISE: dict[str, Function] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "maxf": COMBINERS["maxnumf"],
    "minf": COMBINERS["minnumf"],
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "negatef": np.negative,
    "negates": np.negative,
    "extf": lambda value: value,
    "truncf": lambda value: value,
}


@handles("gpu.subgroup_mma_elementwise")
def _elementwise(op: ir.Operation) -> Execute:
    kind = str(op.attributes["opType"]).split("<")[1].rstrip(">")
    if kind not in _ELEMENTWISE:
        raise ValueError(f"the interpreter knows no element-wise {kind}")
    function = _ELEMENTWISE[kind]
    dtype = FragmentType.parse(op.results[0].type).dtype

    def execute(group: Workgroup, *fragments: np.ndarray) -> np.ndarray:
        group.active_subgroups()
        return function(*fragments).astype(dtype, copy=False)

    return execute


# SPIR-V leaves open which elements an invocation holds; here they are every 32nd one.


@handles("gpu.subgroup_mma_extract_thread_local")
def _extract(op: ir.Operation) -> Execute:
    def execute(group: Workgroup, fragment: np.ndarray, at: np.ndarray) -> np.ndarray:
        shares = _shares(group, fragment)
        return shares[group.lanes // group.subgroup_size, at, _lane(group)]

    return execute


@handles("gpu.subgroup_mma_insert_thread_local")
def _insert(op: ir.Operation) -> Execute:
    def execute(
        group: Workgroup, value: np.ndarray, fragment: np.ndarray, at: np.ndarray
    ) -> np.ndarray:
        shares = _shares(group, fragment).copy()
        shares[group.lanes // group.subgroup_size, at, _lane(group)] = value
        return shares.reshape(group.subgroups, *fragment.shape[1:])

    return execute


def _shares(group: Workgroup, fragment: np.ndarray) -> np.ndarray:
    """By subgroup, number of the element in its invocation, and lane."""
    group.active_subgroups()
    everyone = np.broadcast_to(fragment, (group.subgroups, *fragment.shape[1:]))
    return everyone.reshape(group.subgroups, -1, group.subgroup_size)


def _lane(group: Workgroup) -> np.ndarray:
    return group.lanes % group.subgroup_size
