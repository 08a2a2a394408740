# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts kernels into the module as executables and calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import builtin, flow, func, hal


@dataclass(frozen=True)
class Shell:
    """What surrounds a kernel: names, bindings and invocations.

    `writable` says of each binding whether the kernel writes it. `subgroup_size` is
    None where the kernel does not depend on it.
    """

    name: str
    constants: int
    writable: tuple[bool, ...]
    threads: int
    subgroup_size: int | None = None

    @property
    def layout(self) -> ir.Attribute:
        bindings = ", ".join(
            "#hal.pipeline.binding<storage_buffer" + (">" if w else ", ReadOnly>")
            for w in self.writable
        )
        return ir.Attribute.parse(
            f"#hal.pipeline.layout<constants = {self.constants}, "
            f"bindings = [{bindings}]>"
        )

    @property
    def translation(self) -> ir.Attribute:
        subgroup = (
            ""
            if self.subgroup_size is None
            else (f" subgroup_size = {self.subgroup_size}")
        )
        return ir.Attribute.parse(
            "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
            f"workgroup_size = [{self.threads}, 1, 1]{subgroup}>"
        )


def create_executable(
    module: ir.Operation, shell: Shell, emit: Callable[[], None]
) -> None:
    """A `hal.executable.source` with one entry point, both named as the shell.

    Its workload is the number of workgroups in x, y and z.
    """
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        source = hal.ExecutableSourceOp(shell.name, sym_visibility="private")
    block = source.regions[0].blocks.append()
    with ir.InsertionPoint(block):
        _create_export(shell)
        inner = builtin.ModuleOp()
        hal.executable_source_end()
    with ir.InsertionPoint(inner.body):
        function = func.FuncOp(shell.name, ([], []))
        function.attributes["translation_info"] = shell.translation
    with ir.InsertionPoint(function.add_entry_block()):
        emit()
        func.return_([])


@dataclass(frozen=True)
class Call:
    """What an executable is called with; `dims` are the dynamic sizes of tensors."""

    name: str
    workload: Sequence[ir.Value]
    arguments: Sequence[ir.Value]
    dims: Sequence[ir.Value]


def create_dispatch(
    call: Call, results: Sequence[ir.Type], dims: Sequence[ir.Value], tied: int
) -> list[ir.Value]:
    """Dispatches; `dims` are the dynamic sizes of the results.

    With `tied` results, the last arguments are what they are written into.
    """
    entry = ir.ArrayAttr.get([ir.Attribute.parse(f"@{call.name}::@{call.name}")])
    first = len(call.arguments) - tied
    index = ir.IndexType.get()
    into = [ir.IntegerAttr.get(index, first + n) for n in range(tied)]
    op = flow.DispatchOp(
        results,
        call.workload,
        entry,
        call.arguments,
        call.dims,
        dims,
        tied_operands=ir.ArrayAttr.get(into) if into else None,
    )
    return list(op.results)


def _create_export(shell: Shell) -> None:
    export = hal.ExecutableExportOp(
        shell.name,
        shell.layout,
        sym_visibility="public",
        ordinal=ir.IntegerAttr.get(ir.IndexType.get(), 0),
    )
    index = ir.IndexType.get()
    types = [ir.Type.parse("!hal.device"), index, index, index]
    count = export.regions[0].blocks.append(
        *types, arg_locs=[ir.Location.current] * len(types)
    )
    with ir.InsertionPoint(count):
        hal.return_(list(count.arguments)[1:])
