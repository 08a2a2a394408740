# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix hardware on Vulkan: 16x16x16 fragments, operands staged unconverted.

A workgroup computes one tile of C, each of its subgroups a part of it in fragments.

Order of additions: all of k is one chain, 16 terms at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iree_gemm.passes.emit.conditions import Needs, Query, feature
from iree_gemm.passes.emit.fragment_layout import SUBGROUP, Layout
from iree_gemm.passes.emit.fragment_store import store_product
from iree_gemm.passes.emit.fragments import FragmentProduct
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import tile
from .strategy import INPUTS, Reject, Stage, Strategy

_RUN = 4

# The types of A and B, and the element type of the fragments that they become.
_FRAGMENTS = {
    ("f16", "f16"): "f16",
    ("f32", "f16"): "f16",
    ("i8", "i8"): "i8",
}
_BITS = {"f16": 16, "i8": 8}
_MMA = {"f16": "F32_16x16x16_F16", "i8": "I32_16x16x16_I8"}
_SUMS = {"f16": "f32", "i8": "i32"}


@dataclass(frozen=True)
class Config(Layout):
    """Sizes in elements; `padding` is in 16-byte quads after a staged row."""

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    subgroups_m: int = 2
    subgroups_n: int = 4
    padding: int = 1
    element_bits: int = 16


PORTABLE = tile.Config(tile_n=32)
"""Fits the invocations and workgroup memory that every Vulkan device has."""

LARGE = Config(128, 128, 32, 2, 2)
CONFIGS = (Config(), Config(subgroups_n=2))


def configure(problem: Problem, target: Target) -> Config | Reject:
    reasons = [*_unsupported(problem, target)]
    if reasons:
        return Reject("; ".join(reasons))
    for config in (LARGE, *CONFIGS):
        reasons = [*config.problems(target.max_threads, target.workgroup_memory)]
        if not reasons:
            return config
    return Reject("; ".join(reasons))


def _unsupported(problem: Problem, target: Target) -> Iterator[str]:
    """Each condition of the target that fails for a product."""
    if target.backend != "vulkan":
        yield f"backend {target.backend} has no cooperative matrices"
    inputs = (problem.lhs_type, problem.rhs_type)
    element = _FRAGMENTS.get(inputs)
    if element is None:
        yield f"no matrix units for {inputs[0]} by {inputs[1]}"
    elif not any(name.endswith(_MMA[element]) for name in target.mma):
        yield f"{target.arch} lists no {_MMA[element]} combination"
    elif problem.accumulator != _SUMS[element]:
        yield f"sums are {problem.accumulator}, not {_SUMS[element]}"
    if SUBGROUP not in target.subgroup_sizes:
        yield f"{target.arch} has no subgroups of {SUBGROUP}"


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    product = FragmentProduct(owner, config)
    whole = kernel.div(kernel.k, config.tile_k)
    has_tail = not kernel.problem.k.is_multiple_of(config.tile_k)
    store_product(product, product.sums((0, whole), has_tail))


def _needs(config: Config) -> Needs:
    """What the target promises, asked of the device that runs the program."""
    device, threads = "vulkan.device", config.threads
    return (
        (Query("vulkan.cooperative_matrix", "supported", 1),),
        feature({8: "shader_int8", 16: "shader_float16"}[config.element_bits]),
        (Query(device, "max_compute_workgroup_invocations", threads),),
        (
            Query(device, "subgroup_size", SUBGROUP, is_exact=True),
            *feature("subgroup_size_control"),
        ),
    )


def stages(config: Config) -> tuple[Stage, ...]:
    (fallback,) = tile.stages(PORTABLE)
    return (
        Stage(
            "",
            INPUTS,
            "results",
            config.threads,
            lambda grid: grid.tiles(config.tile_m, config.tile_n),
            lambda kernel: emit(kernel, config),
            width=_RUN,
            subgroup_size=SUBGROUP,
            packed=True,
            needs=_needs(config),
            fallback=fallback,
        ),
    )


STRATEGY = Strategy(
    "cooperative",
    "cooperative",
    Config,
    configure,
    stages,
    on_matrix_hardware=True,
)
