# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a dispatch: every workgroup of one exported kernel, one after the other."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from iree.compiler import ir

# The modules of handlers register them as they are imported.
from . import control, fragments, gpu_ops, mathematics, memref_ops, vectors  # noqa: F401
from .engine import Block, Decoder, KernelError, Machine
from .memory import Memory
from .workgroup import Triple, Workgroup

_BINDING = re.compile(r"#hal\.pipeline\.binding<([^>]*)>")
_CONSTANTS = re.compile(r"constants = (\d+)")


def run_dispatch(
    source: ir.Operation,
    workload: Sequence[int],
    constants: Sequence[int],
    buffers: Sequence[np.ndarray],
    export: str | None = None,
) -> None:
    """Executes a kernel of a hal.executable.source or variant, changing the buffers.

    Buffers are C-contiguous; a buffer that is not writeable is a read-only binding.
    `export` may be left out where the executable has just one.
    """
    kernel = _Kernel.decode(source.operation, export)
    kernel.check(constants, buffers)
    bindings = tuple(
        _binding(number, buffer, number in kernel.read_only)
        for number, buffer in enumerate(buffers)
    )
    count = kernel.workgroups(workload)
    with np.errstate(all="ignore"):
        for z, y, x in itertools.product(*map(range, reversed(count))):
            group = Workgroup(
                [None] * kernel.slots,
                int(np.prod(kernel.size)),
                kernel.subgroup_size,
                f"workgroup ({x}, {y}, {z}) of {kernel.name}",
                size=kernel.size,
                position=(x, y, z),
                count=count,
                constants=tuple(constants),
                bindings=bindings,
            )
            group.run(kernel.body)


@dataclass(frozen=True)
class _Kernel:
    """A decoded kernel and what its export says of it."""

    name: str
    size: Triple
    subgroup_size: int
    read_only: frozenset[int]
    arity: tuple[int, int]
    count: Block
    body: Block
    slots: int

    @staticmethod
    def decode(source: ir.Operation, name: str | None) -> "_Kernel":
        """Finds an export, its workgroup count and its function."""
        export = _one(source, "hal.executable.export", name)
        name = export.attributes["sym_name"].value
        function = _one(_one(source, "builtin.module", None), "func.func", name)
        info = function.attributes["translation_info"]
        layout, decoder = str(export.attributes["layout"]), Decoder()
        flags, constants = _BINDING.findall(layout), _CONSTANTS.search(layout)
        count = _count(export, decoder)
        return _Kernel(
            name,
            tuple(info.workgroup_size),
            info.subgroup_size or 32,
            frozenset(i for i, flag in enumerate(flags) if "ReadOnly" in flag),
            (int(constants.group(1)) if constants else 0, len(flags)),
            count,
            decoder.block(function.regions[0].blocks[0]),
            len(decoder.slots),
        )

    def check(self, constants: Sequence[int], buffers: Sequence[np.ndarray]) -> None:
        """Refuses arguments that are not what the layout lists."""
        if (len(constants), len(buffers)) != self.arity:
            wanted, got = self.arity, (len(constants), len(buffers))
            raise KernelError(
                f"{self.name} takes {wanted[0]} constants and {wanted[1]} bindings, "
                f"but gets {got[0]} and {got[1]}"
            )

    def workgroups(self, workload: Sequence[int]) -> Triple:
        """Runs the region that turns a workload into a number of workgroups."""
        return _run_count(self.name, self.count, self.slots, workload)


def count_workgroups(
    source: ir.Operation, workload: Sequence[int], export: str | None = None
) -> Triple:
    """How many workgroups a dispatch of an exported kernel has."""
    op = _one(source.operation, "hal.executable.export", export)
    decoder = Decoder()
    count = _count(op, decoder)
    return _run_count(symbol(op), count, len(decoder.slots), workload)


def _count(export: ir.Operation, decoder: Decoder) -> Block:
    if not len(export.regions[0].blocks):
        name = symbol(export)
        raise KernelError(f"the export {name} does not say how many workgroups")
    return decoder.block(export.regions[0].blocks[0])


def _run_count(name: str, count: Block, slots: int, workload: Sequence[int]) -> Triple:
    machine = Machine([None] * slots, name=f"the count of {name}")
    arguments = [None, *(np.array([extent]) for extent in workload)]
    if len(arguments) != len(count.arguments):
        wanted = len(count.arguments) - 1
        raise KernelError(f"{name} takes a workload of {wanted} values")
    return tuple(value[0].item() for value in machine.run(count, arguments))


def _one(parent: ir.Operation, kind: str, name: str | None) -> ir.Operation:
    """The only operation of a kind, or the one with a name."""
    found = [op for op in children(parent, kind) if name in (None, symbol(op))]
    if len(found) != 1:
        wanted = kind if name is None else f"{kind} @{name}"
        raise KernelError(f"{symbol(parent)} has {len(found)} of {wanted}, not one")
    return found[0]


def children(parent: ir.Operation, kind: str) -> Iterator[ir.Operation]:
    """The operations of a kind directly inside another."""
    for view in parent.regions[0].blocks[0].operations:
        if view.operation.name == kind:
            yield view.operation


def symbol(op: ir.Operation) -> str | None:
    """The name of a symbol; a module may have none."""
    return op.attributes["sym_name"].value if "sym_name" in op.attributes else None


def _binding(number: int, buffer: np.ndarray, read_only: bool) -> Memory:
    if not buffer.flags.c_contiguous:
        raise KernelError(f"buffer {number} is not contiguous")
    data = buffer.reshape(-1).view(np.uint8)
    if read_only:
        data.flags.writeable = False
    return Memory(data, buffer.itemsize, f"binding {number}")
