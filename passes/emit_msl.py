# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""gemm-emit-msl: kernels that ask for it become Metal Shading Language text."""

from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir

from iree_gemm.metal_kernels import active_collector
from iree_gemm.options import Options
from iree_gemm.passes.msl.kernel import emit_msl

ATTRIBUTE = "gemm.msl"
SOURCE = "hal.executable.source"


@dataclass(frozen=True)
class EmitMslPass:
    """Write the MSL of every kernel function that has the unit attribute gemm.msl.

    The text takes the place of the unit. In a compilation that will put the text into
    the module (`iree_gemm.metal.collecting`) it is also handed over, and the body
    becomes an empty one, since IREE's own Metal path has no fragments.
    """

    options: Options
    name: ClassVar[str] = "gemm-emit-msl"

    def __call__(self, module: ir.Operation) -> None:
        collector = active_collector()
        for executable, function in _marked_functions(module):
            kernel = emit_msl(function)
            with function.context:
                function.attributes[ATTRIBUTE] = ir.StringAttr.get(kernel.text)
            if collector is not None:
                collector[executable] = kernel
                _empty_body(function)


def _marked_functions(module: ir.Operation) -> list[tuple[str, ir.Operation]]:
    """Each with the name of its executable; collected first, then changed."""
    found: list[tuple[str, ir.Operation]] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func" and _is_marked(op):
            found.append((_executable_name(op), op))
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return found


def _is_marked(op: ir.Operation) -> bool:
    return ATTRIBUTE in op.attributes and isinstance(
        op.attributes[ATTRIBUTE], ir.UnitAttr
    )


def _executable_name(op: ir.Operation) -> str:
    """The enclosing executable's name, or the function's own in a bare module."""
    parent = op.parent
    while parent is not None and parent.name != SOURCE:
        parent = parent.parent
    return (parent or op).attributes["sym_name"].value


def _empty_body(function: ir.Operation) -> None:
    """Erases all but the terminator, last uses first."""
    for op in reversed(list(function.regions[0].blocks[0].operations)[:-1]):
        op.operation.erase()
