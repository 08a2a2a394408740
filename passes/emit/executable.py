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


def create_dispatch(
    name: str,
    workgroups: Sequence[ir.Value],
    arguments: Sequence[ir.Value],
    results: Sequence[ir.Type],
    dims: tuple[Sequence[ir.Value], Sequence[ir.Value]],
) -> list[ir.Value]:
    """Calls an executable; `dims` are the dynamic sizes of arguments and results."""
    entry = ir.ArrayAttr.get([ir.Attribute.parse(f"@{name}::@{name}")])
    op = flow.DispatchOp(results, workgroups, entry, arguments, *dims)
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
