# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The whole way: kernels into a module for Metal, and out of it onto the shim."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from metal_modules import COMPILER, METAL, emit_in_place, iree_compile, kernel_text
from msl_cpu import Kernel

from iree_gemm.errors import UsageError
from iree_gemm.explain import explain
from iree_gemm.metal import (
    compile_with_msl,
    ends_before_kernels,
    kernels_of,
    needs_two_runs,
    substitute_msl,
)
from iree_gemm.metal_executable import FormatError, read_executable, replace_kernel
from iree_gemm.metal_kernels import MslKernel, active_collector, collecting
from iree_gemm.paths import plugin_path


def first_run(arguments):
    """Stands for iree-compile with the plugin: the pass, then the stock compiler."""
    *flags, source = arguments
    text, kernels = emit_in_place(Path(source).read_text())
    active_collector().update(kernels)
    Path(source).write_text(text)
    return subprocess.run([COMPILER, *flags, source], check=False).returncode


def compile_module(folder: Path, text: str) -> bytes:
    source, output = folder / "source.mlir", folder / "module.vmfb"
    source.write_text(text)
    assert compile_with_msl([METAL, str(source), "-o", str(output)], first_run) == 0
    return output.read_bytes()


def test_what_ships_is_right(tmp_path, rng):
    vmfb = compile_module(tmp_path, kernel_text("fragments", T="f16"))
    ((name, kernel),) = kernels_of(vmfb)
    assert (name, kernel.entry, kernel.threads) == ("fragments", "product", (128, 1, 1))
    assert "simdgroup_multiply_accumulate" in kernel.text
    a = rng.standard_normal((64, 48)).astype(np.float16)
    b = rng.standard_normal((48, 96)).astype(np.float16)
    c = np.full((64, 96), np.nan, np.float32)
    Kernel(kernel.text, kernel.entry)([a, b, c], (3, 2, 1), kernel.threads, (96, 48))
    want = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c, want, rtol=1e-5, atol=1e-4)


TWO_KERNELS = """
module {
  SOURCES
  func.func @main(%a: tensor<256xf32>, %b: tensor<256xf32>) -> tensor<256xf32> {
    %c = flow.dispatch @reverse::@reverse(%a, %b) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %d = flow.dispatch @again::@reverse(%c, %b) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %e = math.absf %d : tensor<256xf32>
    return %e : tensor<256xf32>
  }
}
"""  # noqa: E501


def two_kernels(second: str) -> str:
    """Two executables beside a dispatch of IREE's; `second` changes the other one."""
    head, body = kernel_text("reverse").split("hal.executable.source", 1)
    source = "hal.executable.source" + body.split("func.func @main")[0]
    other = source.replace("private @reverse", "private @again")
    other = other.replace("arith.addf %other", f"{second} %other")
    return head + TWO_KERNELS.replace("SOURCES", source + other)


def test_several_kernels(tmp_path):
    kernels = dict(kernels_of(compile_module(tmp_path, two_kernels("arith.subf"))))
    assert len(kernels) == 3
    assert " + " in kernels["reverse"].text.split("tile")[-1]
    assert " - " in kernels["again"].text.split("tile")[-1]


def test_equal_kernels_are_merged(tmp_path):
    kernels = dict(kernels_of(compile_module(tmp_path, two_kernels("arith.addf"))))
    ours = [kernel for kernel in kernels.values() if "tile" in kernel.text]
    assert len(ours) == 1
    assert len(kernels) == 2


def test_empty_kernel_is_refused(tmp_path):
    source, hal = tmp_path / "source.mlir", tmp_path / "hal.mlir"
    source.write_text(emit_in_place(kernel_text("reverse"))[0])
    iree_compile(source, "--compile-to=hal", "-o", hal)
    with pytest.raises(UsageError, match="'reverse' is empty: its MSL is missing"):
        substitute_msl(hal.read_bytes(), {})


def test_failed_first_run_ends_it(tmp_path):
    source = tmp_path / "source.mlir"
    source.write_text("module {}")
    output = tmp_path / "module.vmfb"
    assert compile_with_msl([str(source), "-o", str(output)], lambda _: 3) == 3
    assert not output.exists()


def test_arguments_that_the_compiler_should_judge():
    seen = []
    assert compile_with_msl(["--no-source"], lambda a: seen.append(a) or 1) == 1
    assert seen == [["--no-source"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--iree-hal-target-device=metal", "m.mlir"], True),
        (["--iree-hal-target-backends=metal-spirv", "m.mlir"], True),
        (["--iree-hal-target-device", "metal", "m.mlir"], True),
        (["--iree-hal-target-device=vulkan", "metal.mlir"], False),
        (["--iree-hal-target-device=metal", "--compile-to=flow"], False),
    ],
)
def test_needs_two_runs(arguments, expected):
    assert needs_two_runs(arguments) is expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--iree-hal-target-device=metal", "--compile-to=flow"], True),
        (["--iree-hal-target-device=metal", "--compile-to=preprocessing"], True),
        # Here IREE compiles kernels itself.
        (["--iree-hal-target-device=metal", "--compile-to=hal"], False),
        (["--iree-hal-target-device=metal", "m.mlir"], False),
        (["--iree-hal-target-device=vulkan", "--compile-to=flow"], False),
    ],
)
def test_ends_before_kernels(arguments, expected):
    assert ends_before_kernels(arguments) is expected


def product_file(folder: Path) -> Path:
    source = folder / "product.mlir"
    source.write_text(kernel_text("matmul", M="64", N="64", K="32", T="f16"))
    return source


def test_stock_tool_does_without(tmp_path):
    """One run: the portable kernel, and a remark that says how to get the other."""
    plugin = [f"--iree-load-plugin={plugin_path()}", "--iree-plugin=gemm"]
    source, output = product_file(tmp_path), tmp_path / "module.vmfb"
    command = [COMPILER, METAL, *plugin, source, "-o", output]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert "product.mlir:8:8: remark: products do without simdgroup" in done.stderr
    ((_, kernel),) = kernels_of(output.read_bytes())
    assert "simdgroup" not in kernel.text


def test_stock_tool_cannot_be_forced(tmp_path):
    plugin = [f"--iree-load-plugin={plugin_path()}", "--iree-plugin=gemm"]
    done = subprocess.run(
        [COMPILER, METAL, *plugin, product_file(tmp_path)],
        env={**os.environ, "IREE_GEMM_OPTIONS": "strategy=simdgroup"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "simdgroup: needs a second run: use iree-gemm compile" in done.stderr


def test_explain(tmp_path):
    """Tells what the two runs would do."""
    (row,) = explain(product_file(tmp_path), target="metal")
    assert row.strategy == "simdgroup"


def test_collectors_nest():
    with collecting() as outer:
        with collecting() as inner:
            active_collector()["a"] = MslKernel("", "a", (1, 1, 1))
        assert (list(inner), list(outer)) == (["a"], [])
    assert active_collector() is None


def executable(tmp_path) -> bytes:
    import zipfile

    with zipfile.ZipFile(tmp_path / "module.vmfb") as archive:
        return archive.read("fragments_metal_msl_fb.fb")


def test_executable_round_trip(tmp_path):
    compile_module(tmp_path, kernel_text("fragments", T="f32"))
    blob = executable(tmp_path)
    new = MslKernel("kernel void other() {}", "other", (3, 2, 1))
    assert read_executable(replace_kernel(blob, new)) == new
    old = read_executable(blob)
    assert old.text.encode() not in replace_kernel(blob, new)
    for damaged in (b"", b"MTL0" + blob[4:], blob[:200], blob[:64] + bytes(200)):
        with pytest.raises(FormatError):
            read_executable(damaged)
