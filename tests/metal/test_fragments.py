# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A fragment kernel through gemm-emit-msl, run on the shim, and broken on purpose."""

import numpy as np
import pytest
from metal_modules import emit, kernel_text
from msl_cpu import Kernel, MslError

from iree_gemm.metal_kernels import MslKernel

TYPES = {"f16": np.float16, "f32": np.float32}
LOAD = "simdgroup_load("
BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def product(kernel: MslKernel, a: np.ndarray, b: np.ndarray, backwards: bool):
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    c = np.full((m, n), np.nan, np.float32)
    run = Kernel(kernel.text, kernel.entry)
    run([a, b, c], (n // 32, m // 32, 1), kernel.threads, (n, k), backwards=backwards)
    return c


@pytest.fixture(scope="module", params=TYPES)
def typed(request) -> tuple[MslKernel, type]:
    kernel = emit(kernel_text("fragments", T=request.param))["fragments"]
    return kernel, TYPES[request.param]


@pytest.mark.parametrize("shape", [(32, 32, 8), (64, 96, 40), (96, 64, 128)], ids=str)
def test_product(typed, rng, shape, backwards):
    kernel, dtype = typed
    m, n, k = shape
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((k, n)).astype(dtype)
    want = a.astype(np.float64) @ b.astype(np.float64)
    c = product(kernel, a, b, backwards)
    assert np.abs(c - want).max() <= 1e-5 * np.abs(want).max()


def test_integers_are_exact(typed, rng):
    kernel, dtype = typed
    a = rng.integers(-8, 9, (64, 64)).astype(dtype)
    b = rng.integers(-8, 9, (64, 64)).astype(dtype)
    c = product(kernel, a, b, False)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


def test_accumulates_in_place(typed):
    """No copies of accumulators in the loop."""
    kernel, _ = typed
    loop = kernel.text.split("for (", 1)[1]
    assert loop.count("simdgroup_multiply_accumulate(acc") == 4
    assert " acc" not in loop.replace(", acc", "")


def mutate(kernel: MslKernel, old: str, new: str, which: int = 0) -> MslKernel:
    parts = kernel.text.split(old)
    assert len(parts) > which + 1, f"{old} is not in the kernel {which + 1} times"
    text = old.join(parts[: which + 1]) + new + old.join(parts[which + 1 :])
    return MslKernel(text, kernel.entry, kernel.threads)


@pytest.fixture
def operands(rng):
    a = rng.standard_normal((64, 64)).astype(np.float32)
    return a, rng.standard_normal((64, 64)).astype(np.float32)


@pytest.fixture(scope="module")
def kernel() -> MslKernel:
    return emit(kernel_text("fragments", T="f32"))["fragments"]


@pytest.mark.parametrize(
    "mutation",
    [
        (BARRIER, "", 0),
        (BARRIER, "", 1),
        (" * 12u", " * 11u"),
        ("simd / 2u", "simd % 2u"),
        ("36u);", "36u, ulong2(0, 0), true);"),
    ],
)
def test_wrong_result_shows(kernel, operands, mutation, backwards):
    a, b = operands
    c = product(mutate(kernel, *mutation), a, b, backwards)
    assert not np.allclose(c, a @ b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("message", "mutation"),
    [
        ("barriers|deadlock", (BARRIER, f"if (thread_id.x != 5u) {BARRIER}")),
        (
            "barriers|deadlock",
            (LOAD, f"if (thread_id.x != 40u) {LOAD}"),
        ),
        ("disagree", ("* 12u, 12u", "* 12u + thread_id.x / 31u, 12u")),
        ("32 KiB", ("[384]", "[38400]")),
        ("buffer 2", ("simdgroup_store(", "buffer7[4113] = 0; simdgroup_store(")),
    ],
)
def test_mistake_is_named(kernel, operands, message, mutation, backwards):
    a, b = operands
    with pytest.raises(MslError, match=message):
        product(mutate(kernel, *mutation), a, b, backwards)
