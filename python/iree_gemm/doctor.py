# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""iree-gemm doctor: tries each part of the installation and says what to do."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from iree_gemm import api
from iree_gemm.paths import plugin_path

_PINNED = "3.13.0"
_SIZE = 4
_PRODUCT = """
func.func @product(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>)
    -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
    outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
"""


@dataclass(frozen=True)
class Check:
    """One part: `probe` returns what it found or raises, `remedy` says what to do."""

    name: str
    probe: Callable[[], str]
    remedy: str


def main() -> int:
    """Prints one line a part, and the remedy of each that fails."""
    return 0 if all([_report(check) for check in CHECKS]) else 1


def _report(check: Check) -> bool:
    try:
        print(f"ok    {check.name}: {check.probe()}", flush=True)
    except Exception as error:
        print(f"FAIL  {check.name}: {error}\n      {check.remedy}", flush=True)
        return False
    return True


def _python() -> str:
    return f"{platform.python_version()} ({sys.executable})"


def _packages() -> str:
    names = ("iree-base-compiler", "iree-base-runtime")
    found = {name: metadata.version(name) for name in names}
    for name, version in found.items():
        if version != _PINNED:
            raise RuntimeError(f"{name} is {version}, not {_PINNED}")
    versions = found | {"numpy": metadata.version("numpy")}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _plugin() -> str:
    return str(plugin_path())


def _stock_compiler() -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile"),
            f"--iree-load-plugin={plugin_path()}",
            "--iree-plugin=gemm",
            "--iree-hal-target-device=vulkan",
            *("-", "-o", str(Path(folder, "module.vmfb"))),
        ]
        result = subprocess.run(command, input=_PRODUCT, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    return "compiles with the plugin"


def _compile() -> str:
    return f"a module of {len(api.compile(_PRODUCT))} bytes"


def _devices() -> str:
    import iree.runtime as rt

    devices = rt.get_driver("vulkan").query_available_devices()
    if not devices:
        raise RuntimeError("none found")
    return ", ".join(device["name"] for device in devices)


def _run() -> str:
    program = api.load(api.compile(_PRODUCT))
    a = np.arange(_SIZE * _SIZE, dtype=np.float32).reshape(_SIZE, _SIZE)
    if not np.array_equal(program(a, a), a @ a):
        raise RuntimeError("the product is wrong")
    return "the product is right"


CHECKS = (
    Check("python", _python, "use Python 3.10 or newer"),
    Check("packages", _packages, "install iree-gemm again with pip"),
    Check("plugin", _plugin, "install iree-gemm again with pip"),
    Check("iree-gemm compile", _compile, "read the message of the compiler above"),
    Check(
        "iree-compile",
        _stock_compiler,
        "iree-gemm compile does the same and needs no libpython",
    ),
    Check(
        "vulkan devices",
        _devices,
        "install a Vulkan driver (without a GPU, in Debian and Ubuntu: libvulkan1 and"
        " mesa-vulkan-drivers)",
    ),
    Check("product on vulkan", _run, "compile for the device: iree-gemm compile"),
)
