# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a target name means to the compiler: `metal`, `default`, or a Vulkan one."""

from __future__ import annotations

import subprocess

from iree.compiler import ir
from iree.compiler.tools import binaries

from iree_gemm.errors import UsageError

_EXAMPLES = "llvmpipe, ampere, ada or rdna3"


def compiler_flags(target: str) -> list[str]:
    """The flags of iree-compile for a target; `default` is IREE's for Vulkan."""
    if target == "metal":
        return ["--iree-hal-target-device=metal"]
    flags = ["--iree-hal-target-device=vulkan"]
    if target != "default":
        flags.append(f"--iree-vulkan-target={target}")
    return flags


def check_target(target: str) -> None:
    """Raises a usage error unless the compiler knows the target."""
    _empty_module_with_device(target)


def assign_device(module: ir.Module, target: str) -> None:
    """Puts the target's device on a module that has none, as iree-compile does."""
    if any(_is_device(op) for op in module.body.operations):
        return
    with module.context:
        assigned = ir.Module.parse(_empty_module_with_device(target))
    for name in assigned.operation.attributes:
        module.operation.attributes[name] = assigned.operation.attributes[name]
    first = ir.InsertionPoint.at_block_begin(module.body)
    for op in assigned.body.operations:
        first.insert(op.operation.clone())


def _is_device(op: ir.OpView) -> bool:
    global_type = op.operation.attributes.get("type")
    return global_type is not None and str(global_type) == "!hal.device"


def _empty_module_with_device(target: str) -> str:
    """An empty module, compiled as far as IREE needs to have put the device on it."""
    # Another process, since the compiler crashes on a name that it does not know.
    tool = binaries.find_tool("iree-compile")
    flags = [*compiler_flags(target), "--compile-to=preprocessing", "-"]
    result = subprocess.run(
        [tool, *flags], input="module {}", capture_output=True, text=True
    )
    if result.returncode:
        raise UsageError(
            f"unknown target '{target}': write metal, default, or a name that"
            f" --iree-vulkan-target of iree-compile knows, such as {_EXAMPLES}"
        )
    return result.stdout
