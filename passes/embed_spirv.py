# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm-embed-spirv: kernels with bfloat16 fragments become SPIR-V objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir
from iree.compiler.dialects import hal

from iree_gemm.options import Options

from .spirv.bfloat16 import with_bfloat16_fragments
from .spirv.translate import translate

BFLOAT16 = "gemm.bfloat16"
"""On a kernel's function: its f16 fragments stand for bfloat16 ones."""

_VARIANT = "hal.executable.variant"


@dataclass(frozen=True)
class EmbedSpirvPass:
    """Translate the kernels of functions that have the unit attribute gemm.bfloat16.

    MLIR's fragments cannot be bfloat16, so the kernels have f16 ones until they are
    SPIR-V. The variant of each then holds that in place of the kernel.
    """

    options: Options
    name: ClassVar[str] = "gemm-embed-spirv"

    def __call__(self, module: ir.Operation) -> None:
        marked = _marked_functions(module)
        if not marked:
            return
        for function in marked:
            del function.attributes[BFLOAT16]
        variants = [_variant_of(function) for function in marked]
        translated = translate(variants)
        for variant in variants:
            name = ir.StringAttr(variant.parent.attributes["sym_name"]).value
            binary = with_bfloat16_fragments(translated[name])
            _replace(variant, f"{name}.spv", binary.write())


def _marked_functions(module: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func" and BFLOAT16 in op.attributes:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return found


def _variant_of(function: ir.Operation) -> ir.Operation:
    variant = function.parent.operation.parent.operation
    assert variant.name == _VARIANT, "such kernels are variants of an executable"
    return variant


def _replace(variant: ir.Operation, path: str, data: bytes) -> None:
    """Puts a variant with an object where one with a kernel is."""
    size = f"vector<{len(data)}xi8>"
    value = f'dense<"0x{data.hex().upper()}"> : {size}'
    text = f'#hal.executable.object<{{path = "{path}", data = {value}}}>'
    attributes = variant.attributes
    with ir.InsertionPoint(variant), variant.location:
        new = hal.ExecutableVariantOp(
            attributes["sym_name"],
            attributes["target"],
            sym_visibility=attributes["sym_visibility"],
            objects=ir.ArrayAttr.get([ir.Attribute.parse(text)]),
        )
    block = new.regions[0].blocks.append()
    for op in list(variant.regions[0].blocks[0].operations):
        if op.operation.name != "builtin.module":
            op.operation.detach_from_parent()
            block.append(op)
    variant.erase()
