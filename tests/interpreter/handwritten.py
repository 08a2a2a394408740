# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wraps the body of a kernel written by hand as an executable, and runs it."""

from collections.abc import Sequence

import numpy as np
from iree.compiler import ir

from .dispatch import run_dispatch

STORAGE = "#hal.descriptor_type<storage_buffer>"
WORKGROUP = "#gpu.address_space<workgroup>"


def buffer_type(element: str) -> str:
    """The type of a binding of %n elements."""
    return f"memref<?x{element}, {STORAGE}>"


def kernel(body: str, elements: Sequence[str] = ("f32", "f32"), size: int = 64) -> str:
    """An executable @gemm with the kernel @k.

    It has a binding %b0, %b1, ... of %n elements for each type, the last one writable,
    and %t is its invocation.
    """
    flags = [", ReadOnly"] * (len(elements) - 1) + [""]
    bindings = ", ".join(f"#hal.pipeline.binding<storage_buffer{f}>" for f in flags)
    layout = f"layout(#hal.pipeline.layout<constants = 1, bindings = [{bindings}]>)"
    subspans = "\n".join(
        f"%b{number} = hal.interface.binding.subspan {layout} binding({number}) "
        f"alignment(64) offset(%c0) : {buffer_type(element)}{{%n}}"
        for number, element in enumerate(elements)
    )
    return f"""
      hal.executable.source private @gemm {{
        hal.executable.export public @k ordinal(0) {layout}
            count(%dev: !hal.device, %w: index) -> (index, index, index) {{
          %c1 = arith.constant 1 : index
          hal.return %w, %c1, %c1 : index, index, index
        }}
        builtin.module {{
          func.func @k() attributes {{translation_info =
              #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline
              workgroup_size = [{size}, 1, 1] subgroup_size = 32>}} {{
            %c0 = arith.constant 0 : index
            %n32 = hal.interface.constant.load {layout} ordinal(0) : i32
            %n = arith.index_castui %n32 : i32 to index
            {subspans}
            %t = gpu.thread_id x
            {body}
            return
          }}
        }}
      }}"""


def run(text: str, *buffers: np.ndarray, n: int = 64, workgroups: int = 1) -> None:
    """Runs the executable of `kernel` in a context that the caller has entered."""
    module = ir.Module.parse(text)
    run_dispatch(module.body.operations[0], [workgroups], [n], buffers)
