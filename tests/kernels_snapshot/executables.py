# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules with one variant of each executable: IREE dumps both under one name."""

from __future__ import annotations

from iree.compiler import ir


def with_single_variants(text: str) -> dict[str, str]:
    """The module by the name of the variant that it keeps; as it is without any."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        names = {_name(v): None for e in _executables(module) for v in _variants(e)}
        if not names:
            return {"": text}
        return {name: _keeping(ir.Module.parse(text), name) for name in names}


def _keeping(module: ir.Module, name: str) -> str:
    for executable in _executables(module):
        for variant in _variants(executable):
            if _name(variant) != name:
                variant.erase()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "flow.dispatch":
            entries = list(ir.ArrayAttr(op.attributes["entry_points"]))
            kept = [e for e in entries if f"::@{name}::" in str(e)]
            op.attributes["entry_points"] = ir.ArrayAttr.get(kept or entries)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return str(module)


def _executables(module: ir.Module) -> list[ir.Operation]:
    ops = [view.operation for view in module.body.operations]
    return [op for op in ops if op.name == "hal.executable"]


def _variants(executable: ir.Operation) -> list[ir.Operation]:
    ops = [view.operation for view in executable.regions[0].blocks[0].operations]
    return [op for op in ops if op.name == "hal.executable.variant"]


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value
