# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs for Metal whose host part is interpreted and whose kernels run on the shim.

The kernels are those in the finished module; what dispatches them is read from the
module after our passes, which is where both come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from iree.compiler import ir
from msl_cpu import Kernel

import iree_gemm
from interpreter import count_workgroups, run_function
from iree_gemm.dialects.gemm import matmuls
from iree_gemm.metal import kernels_of
from iree_gemm.metal_kernels import MslKernel, collecting
from iree_gemm.options import Options
from iree_gemm.passes.emit_msl import EmitMslPass
from iree_gemm.passes.lower_kernels import LowerKernelsPass
from iree_gemm.passes.raise_contractions import RaiseContractionsPass
from iree_gemm.passes.select_strategy import SelectStrategyPass
from iree_gemm.passes.strategies.simdgroup import Config
from iree_gemm.targets import assign_device


@dataclass(frozen=True)
class MetalProgram:
    """Functions by name, over kernels by the name of their executable."""

    module: str
    kernels: dict[str, MslKernel]

    @staticmethod
    def of(text: str, **options: object) -> MetalProgram:
        """Compiles functions on tensors; each product must come out as a kernel."""
        vmfb = iree_gemm.compile(text, target="metal", **options)
        module, ours = lowered(text, Options(**options))
        kernels = dict(kernels_of(vmfb))
        for name, kernel in ours.items():
            assert kernels[name] == kernel, f"{name} does not hold what was emitted"
        return MetalProgram(module, kernels)

    @staticmethod
    def configured(text: str, **changes: int) -> MetalProgram:
        """Products by simdgroup matrices, with another configuration than is chosen."""
        return MetalProgram(*lowered(text, Options(strategy="simdgroup"), changes))

    def call(
        self, name: str, *inputs: np.ndarray, backwards: bool = False
    ) -> list[np.ndarray]:
        """The results of a function; kernels run in the order that is asked for."""

        def run(source: ir.Operation, workload, *arguments) -> None:
            *call, export = arguments
            grid = count_workgroups(source, workload, export)
            self._dispatch(export, grid, call, backwards)

        with ir.Context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True
            module = ir.Module.parse(self.module)
            return run_function(function_of(module, name), inputs, dispatch=run)

    def _dispatch(
        self, name: str, grid: Sequence[int], call: Sequence, backwards: bool
    ) -> None:
        kernel, (constants, buffers) = self.kernels[name], call
        run = Kernel(kernel.text, kernel.entry)
        run(buffers, grid, kernel.threads, constants, backwards=backwards)


def lowered(
    text: str, options: Options, changes: Mapping[str, int] | None = None
) -> tuple[str, dict[str, MslKernel]]:
    """The module after the passes, and the text of its kernels."""
    with ir.Context() as context, ir.Location.unknown(), collecting() as kernels:
        context.allow_unregistered_dialects = True
        module = kernel_ir(text, options, changes or {})
        EmitMslPass(options)(module.operation)
        return str(module), kernels


def kernel_ir(text: str, options: Options, changes: Mapping[str, int]) -> ir.Module:
    """The module with kernels as they are before they become text."""
    module = ir.Module.parse(text)
    assign_device(module, "metal")
    RaiseContractionsPass(options)(module.operation)
    SelectStrategyPass(options)(module.operation)
    for op in matmuls(module.operation) if changes else ():
        op.choose(op.strategy, Config(**{**op.config, **changes}))
    LowerKernelsPass(options)(module.operation)
    return module


def function_of(module: ir.Module, name: str) -> ir.Operation:
    functions = (f for f in module.body.operations if f.operation.name == "func.func")
    return next(f for f in functions if f.attributes["sym_name"].value == name)
