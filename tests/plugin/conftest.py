# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests of the native loader run the compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from iree.compiler.tools import binaries

from iree_gemm.paths import plugin_path

MODULE = """
func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>)
    -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>)
    -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
    outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %c : tensor<64x48xf32>
}
"""


class Stock:
    """The stock compiler as a program, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "product.vmfb"
        (folder / "product.mlir").write_text(MODULE)

    def compile(self, plugin: Path, *flags: str, **environment: str):
        return self.run(
            "iree-compile",
            f"--iree-load-plugin={plugin}",
            "--iree-plugin=gemm",
            "--iree-hal-target-device=vulkan",
            "product.mlir",
            *(flags or ("-o", "product.vmfb")),
            **environment,
        )

    def run(self, tool: str, *arguments: str, **environment: str):
        """Without PYTHONPATH and the other variables that a user may have set."""
        command = [binaries.find_tool(tool), *arguments]
        clean = {name: os.environ[name] for name in ("PATH", "HOME")} | environment
        return subprocess.run(
            command, cwd=self.folder, env=clean, capture_output=True, text=True
        )


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path)


@pytest.fixture
def plugin() -> Path:
    return plugin_path()


@pytest.fixture
def run_python(tmp_path: Path):
    """Runs a program in a Python process of its own that loads the plugin."""

    def run(program: str, **environment: str):
        (tmp_path / "product.mlir").write_text(MODULE)
        variables = {"IREE_LOAD_PLUGINS": str(plugin_path())} | environment
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
        )

    return run


@pytest.fixture
def broken_passes(tmp_path: Path) -> str:
    """A folder for PYTHONPATH that puts a pass which raises in the second place."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        """
from iree_gemm.passes.registry import PASSES


class Broken:
    def __init__(self, options):
        pass

    def __call__(self, module):
        raise ZeroDivisionError("broken on purpose")


PASSES["gemm-select-strategy"] = Broken
"""
    )
    return str(folder)
