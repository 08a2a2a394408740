# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems and targets, as plain data."""

from __future__ import annotations

from dataclasses import replace

from iree_gemm.problem import ONE, ZERO, Axis, Operand, Problem, Size
from iree_gemm.target import Target

_KINDS = {"b": "batch", "m": "m", "n": "n", "k": "k"}

GPU = Target(
    backend="vulkan",
    arch="gpu",
    compute=frozenset({"fp32", "fp16", "int32", "int16", "int8"}),
    storage=frozenset({32, 16, 8}),
    subgroup_sizes=(32,),
    mma=("NV_WMMA_F32_16x16x16_F16",),
    max_threads=1024,
    workgroup_memory=48 * 1024,
    max_workgroup_counts=(65535, 65535, 65535),
    compute_units=None,
)
BASELINE = replace(
    GPU,
    arch="baseline",
    compute=frozenset({"fp32", "int32"}),
    storage=frozenset({32}),
    subgroup_sizes=(64,),
    mma=(),
    max_threads=128,
    workgroup_memory=16 * 1024,
)
SOFTWARE = replace(GPU, arch="software", subgroup_sizes=(8,), mma=())
METAL = replace(GPU, backend="metal", arch="apple", mma=())


def axes(**sizes: int | Size) -> dict[str, Axis]:
    """Iteration dimensions by name; the first letter is the kind, of b, m, n and k."""
    return {
        name: Axis(_KINDS[name[0]], size if isinstance(size, Size) else Size(size))
        for name, size in sizes.items()
    }


def tensor(axes: dict[str, Axis], order: str, element: str = "f32") -> Operand:
    """A packed tensor whose dimensions are the named axes, outermost first."""
    strides = dict.fromkeys(axes, ZERO)
    length = ONE
    for name in reversed(order.split()):
        strides[name] = length
        length = length * axes[name].size
    return Operand(element, tuple(strides.values()), length=length)


def product(
    axes: dict[str, Axis], lhs: str, rhs: str, result: str, types: str = "f32 f32 f32"
) -> Problem:
    """A product of packed tensors; `types` are those of A, B and the sum."""
    a, b, c = types.split()
    return Problem(
        tuple(axes.values()),
        (tensor(axes, lhs, a),),
        (tensor(axes, rhs, b),),
        (),
        (tensor(axes, result, c),),
        a,
        b,
        c,
    )


def matmul(
    m: int | Size, n: int | Size, k: int | Size, types: str = "f32 f32 f32"
) -> Problem:
    return product(axes(m=m, n=n, k=k), "m k", "k n", "m n", types)
