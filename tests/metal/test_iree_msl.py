# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""IREE's own MSL on the shim: shows that shim and calling convention are right."""

import re
from pathlib import Path

import numpy as np
import pytest
from metal_modules import iree_compile, kernel_text
from msl_cpu import Kernel

from iree_gemm.metal import kernels_of
from iree_gemm.metal_kernels import MslKernel

DTYPES = {"f32": np.float32, "f16": np.float16}


def compile_stock(folder: Path, text: str) -> tuple[MslKernel, tuple[int, ...] | None]:
    """The one kernel of a module, and its grid where that is constant."""
    source = folder / "module.mlir"
    source.write_text(text)
    vmfb, hal = folder / "module.vmfb", folder / "module.hal.mlir"
    iree_compile(source, "-o", vmfb)
    iree_compile(source, "--compile-to=hal", "-o", hal)
    ((_, kernel),) = kernels_of(vmfb.read_bytes())
    return kernel, constant_grid(hal.read_text())


def constant_grid(hal: str) -> tuple[int, ...] | None:
    names = re.search(r"workgroups\(\[([^\]]*)\]\)", hal)[1].split(", ")
    values = dict(re.findall(r"(%c\w+) = arith.constant (\d+) : index", hal))
    return tuple(int(values[n]) for n in names) if set(names) <= set(values) else None


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("shape", [(64, 48, 32), (7, 13, 5), (128, 128, 64)], ids=str)
def test_matmul(tmp_path, rng, shape, element):
    m, n, k = shape
    text = kernel_text("matmul", M=str(m), N=str(n), K=str(k), T=element)
    kernel, grid = compile_stock(tmp_path, text)
    a = rng.standard_normal((m, k)).astype(DTYPES[element])
    b = rng.standard_normal((k, n)).astype(DTYPES[element])
    c = np.full((m, n), np.nan, np.float32)
    Kernel(kernel.text, kernel.entry)([a, b, c], grid, kernel.threads)
    want = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)


def test_constants(tmp_path, rng):
    """IREE passes an index as two words, in buffer 3."""
    kernel, _ = compile_stock(tmp_path, kernel_text("dynamic_matmul"))
    m, n = 10, 12
    a = rng.standard_normal((m, 64)).astype(np.float32)
    b = rng.standard_normal((64, n)).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    run = Kernel(kernel.text, kernel.entry)
    run([a, b, c], (16, 1, 1), kernel.threads, (m, 0, n, 0))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_workgroup_memory(tmp_path, rng, backwards):
    """Our kernel IR lowered by IREE, which is how portable kernels reach Metal."""
    kernel, grid = compile_stock(tmp_path, kernel_text("reverse"))
    a, b = rng.standard_normal((2, 256)).astype(np.float32)
    c = np.zeros(256, np.float32)
    run = Kernel(kernel.text, kernel.entry)
    run([a, b, c], grid, kernel.threads, backwards=backwards)
    np.testing.assert_array_equal(c, a.reshape(4, 64)[:, ::-1].reshape(-1) + b)
