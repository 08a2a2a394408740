# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Our MSL keeps Metal's address spaces apart, and the check would see if it did not."""

import pytest
from metal_modules import emit, kernel_text
from msl_check import mistakes


@pytest.fixture(scope="module")
def fragments() -> str:
    return emit(kernel_text("fragments", T="f16"))["fragments"].text


def test_kernels_are_sound(fragments):
    assert mistakes(fragments) == []
    assert mistakes(emit(kernel_text("reverse"))["reverse"].text) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("device const half* buffer5", "threadgroup const half* buffer5"),
        ("device float* buffer7", "float* buffer7"),
        ("device float* b2", "device const float* b2"),
        ("simdgroup_half8x8 m37", "simdgroup_float8x8 m37"),
        ("threadgroup half tile8", "threadgroup float tile8"),
    ],
)
def test_mix_up_is_seen(fragments, old, new):
    assert old in fragments
    assert mistakes(fragments.replace(old, new))
