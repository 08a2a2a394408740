# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts kernels into the module as executables and calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import builtin, flow, func, hal

from .conditions import Needs, emit_condition

Count = Callable[[Sequence[ir.Value]], Sequence[ir.Value]]
"""Emits the numbers of workgroups in x, y and z for a workload."""


@dataclass(frozen=True)
class Shell:
    """What surrounds kernels: names and bindings.

    `writable` says of each binding whether the kernel writes it.
    """

    name: str
    constants: int
    writable: tuple[bool, ...]

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


@dataclass(frozen=True)
class Body:
    """A kernel in a shell.

    `subgroup_size` is None where the kernel does not depend on it. `needs` is what a
    device must offer for it, where it is one of several variants.
    """

    name: str
    threads: int
    subgroup_size: int | None
    needs: Needs
    count: Count
    emit: Callable[[], None]

    @property
    def translation(self) -> ir.Attribute:
        size = self.subgroup_size
        subgroup = "" if size is None else f" subgroup_size = {size}"
        return ir.Attribute.parse(
            "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
            f"workgroup_size = [{self.threads}, 1, 1]{subgroup}>"
        )


WORKLOAD = 3
"""Rows, columns and batch of C: what a dispatch says of its size."""


def create_executable(module: ir.Operation, shell: Shell, body: Body) -> list[str]:
    """A `hal.executable.source`; returns the path to its entry point."""
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        source = hal.ExecutableSourceOp(shell.name, sym_visibility="private")
    with ir.InsertionPoint(source.regions[0].blocks.append()):
        _fill(shell, body)
        hal.executable_source_end()
    return [f"@{shell.name}::@{shell.name}"]


def create_variants(
    module: ir.Operation, shell: Shell, bodies: Sequence[Body], target: ir.Attribute
) -> list[str]:
    """A `hal.executable`; returns the paths to its entry points.

    A device takes the first variant whose needs it meets.
    """
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        executable = hal.ExecutableOp(shell.name, sym_visibility="private")
    with ir.InsertionPoint(executable.regions[0].blocks.append()):
        for body in bodies:
            _create_variant(shell, body, target)
        hal.executable_end()
    return [f"@{shell.name}::@{body.name}::@{shell.name}" for body in bodies]


def _create_variant(shell: Shell, body: Body, target: ir.Attribute) -> None:
    variant = hal.ExecutableVariantOp(body.name, target, sym_visibility="public")
    with ir.InsertionPoint(variant.regions[0].blocks.append()):
        if body.needs:
            emit_condition(body.needs)
        _fill(shell, body)
        hal.executable_variant_end()


def _fill(shell: Shell, body: Body) -> None:
    """The entry point and its kernel, both named as the shell."""
    _create_export(shell, body.count)
    inner = builtin.ModuleOp()
    with ir.InsertionPoint(inner.body):
        function = func.FuncOp(shell.name, ([], []))
        function.attributes["translation_info"] = body.translation
    with ir.InsertionPoint(function.add_entry_block()):
        body.emit()
        func.return_([])


def _create_export(shell: Shell, count: Count) -> None:
    export = hal.ExecutableExportOp(
        shell.name,
        shell.layout,
        sym_visibility="public",
        ordinal=ir.IntegerAttr.get(ir.IndexType.get(), 0),
    )
    types = [ir.Type.parse("!hal.device"), *[ir.IndexType.get()] * WORKLOAD]
    block = export.regions[0].blocks.append(
        *types, arg_locs=[ir.Location.current] * len(types)
    )
    with ir.InsertionPoint(block):
        hal.return_(list(count(list(block.arguments)[1:])))


@dataclass(frozen=True)
class Call:
    """What an executable is called with; `dims` are the dynamic sizes of tensors."""

    entries: Sequence[str]
    workload: Sequence[ir.Value]
    arguments: Sequence[ir.Value]
    dims: Sequence[ir.Value]


def create_dispatch(
    call: Call, results: Sequence[ir.Type], dims: Sequence[ir.Value], tied: int
) -> list[ir.Value]:
    """Dispatches; `dims` are the dynamic sizes of the results.

    With `tied` results, the last arguments are what they are written into.
    """
    entries = ir.ArrayAttr.get([ir.Attribute.parse(path) for path in call.entries])
    first = len(call.arguments) - tied
    index = ir.IndexType.get()
    into = [ir.IntegerAttr.get(index, first + n) for n in range(tied)]
    op = flow.DispatchOp(
        results,
        call.workload,
        entries,
        call.arguments,
        call.dims,
        dims,
        tied_operands=ir.ArrayAttr.get(into) if into else None,
    )
    return list(op.results)
