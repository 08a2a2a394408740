# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix hardware on Vulkan: 16x16x16 fragments, operands staged unconverted.

A workgroup computes one tile of C, each of its subgroups a part of it in fragments.

Order of additions: all of k is one chain, 16 terms at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from iree.compiler import ir

from iree_gemm.passes.embed_spirv import BFLOAT16
from iree_gemm.passes.emit.conditions import Needs, Query, feature
from iree_gemm.passes.emit.fragment_layout import SUBGROUP, Layout
from iree_gemm.passes.emit.fragment_store import store_product
from iree_gemm.passes.emit.fragments import FragmentProduct
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.memory import RUN
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from . import tile
from .cooperative_cost import microseconds
from .sizes import Sizes
from .strategy import Reject, Stage, Strategy, one_dispatch

# The types of A and B, and the element type of the fragments that they become.
_FRAGMENTS = {
    ("f16", "f16"): "f16",
    ("f32", "f16"): "f16",
    ("bf16", "bf16"): "bf16",
    ("i8", "i8"): "i8",
}
_BITS = {"f16": 16, "bf16": 16, "i8": 8}
_SUMS = {"f16": "f32", "bf16": "f32", "i8": "i32"}
# The ends of the intrinsics' names. IREE's tables list no 16x16x16 one of bfloat16 for
# devices that have it (an H200 does), so any shape stands for that.
_MMA = {
    "f16": "F32_16x16x16_F16",
    "bf16": r"F32_\d+x\d+x\d+_BF16",
    "i8": "I32_16x16x16_I8",
}


@dataclass(frozen=True)
class Config(Layout):
    """Sizes in elements; `padding` is in 16-byte quads after a staged row."""

    given: ClassVar[tuple[str, ...]] = ("element_bits", "is_bfloat")
    broadcasts_subgroup: ClassVar[bool] = True

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    subgroups_m: int = 2
    subgroups_n: int = 4
    padding: int = 1
    element_bits: int = 16
    is_bfloat: bool = False

    def of(self, element: str) -> Config:
        """The same in another element type, with the same bytes a step."""
        bits = _BITS[element]
        return replace(
            self,
            tile_k=self.tile_k * 16 // bits,
            element_bits=bits,
            is_bfloat=element == "bf16",
        )


PORTABLE = tile.Config(tile_n=32)
"""Fits the invocations and workgroup memory that every Vulkan device has."""

# Their k steps are for 16-bit elements. Measured on an H200 (2026-11-30, chained
# dispatches, TFLOP/s at 4096^3): LARGE 313, 256x128x32 290, 128x128x64 244. Over 24 KiB
# only one workgroup stays on a multiprocessor there. In us: 128x768x768 LITTLE 8.3, LOW
# 8.8, MEDIUM 10.2; 1024^3 TALL 14.0, MEDIUM 16.7, LARGE 19.2. The last two are for
# devices with little workgroup memory.
LARGE = Config(128, 128, 32, 2, 2)
TALL = Config(128, 64, 64, 2, 2)
MEDIUM = Config(64, 64, 64, 2, 2)
LOW = Config(32, 64, 64, 2, 2)
LITTLE = Config(32, 32, 64, 2, 2)
FEW_ROWS = Config(16, 64, 64, 1, 4)
SMALL = (Config(), Config(subgroups_n=2))
CONFIGS = (LARGE, TALL, MEDIUM, LOW, LITTLE, FEW_ROWS, *SMALL)


def configure(problem: Problem, target: Target) -> Config | Reject:
    valid = fitting(problem, target)
    if isinstance(valid, Reject):
        return valid
    sizes = Sizes.of(problem, target)
    if sizes is None:
        return next((c for c in valid if c.tile_m <= MEDIUM.tile_m), valid[0])
    return min(valid, key=lambda config: microseconds(config, sizes))


def fitting(problem: Problem, target: Target) -> list[Config] | Reject:
    """The configurations that are valid, from the largest to the smallest."""
    reasons = [*_unsupported(problem, target)]
    if reasons:
        return Reject("; ".join(reasons))
    element = _FRAGMENTS[problem.lhs_type, problem.rhs_type]
    valid = []
    for config in (c.of(element) for c in CONFIGS):
        reasons = [*target.excesses(config.threads, config.workgroup_bytes)]
        if not reasons:
            valid.append(config)
    return valid or Reject("; ".join(reasons))


def _unsupported(problem: Problem, target: Target) -> Iterator[str]:
    """Each condition of the target that fails for a product."""
    if target.backend != "vulkan":
        yield f"backend {target.backend} has no cooperative matrices"
    inputs = (problem.lhs_type, problem.rhs_type)
    element = _FRAGMENTS.get(inputs)
    if element is None:
        yield f"no matrix units for {inputs[0]} by {inputs[1]}"
    elif not any(re.search(_MMA[element] + "$", name) for name in target.mma):
        yield f"{target.arch} lists no {_SUMS[element]} sums of {element} products"
    elif problem.accumulator != _SUMS[element]:
        yield f"sums are {problem.accumulator}, not {_SUMS[element]}"
    elif element == "bf16" and any(o.element == "f16" for o in problem.operands):
        yield "one kernel cannot have f16 beside bf16 matrices"
    if SUBGROUP not in target.subgroup_sizes:
        yield f"{target.arch} has no subgroups of {SUBGROUP}"


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    product = product_of(owner, config)
    steps = (0, kernel.div(kernel.k, config.tile_k))
    sums = product.staged(steps)
    if not kernel.problem.k.is_multiple_of(config.tile_k):
        sums = product.with_tail(steps[1], sums)
    store_product(product, sums)


def product_of(owner: Tile, config: Config) -> FragmentProduct:
    """Also marks the kernel if its fragments are to become bfloat16."""
    if config.is_bfloat:
        function = ir.InsertionPoint.current.block.owner
        function.attributes[BFLOAT16] = ir.UnitAttr.get()
    return FragmentProduct(owner, config)


def needs(config: Config) -> Needs:
    """What the target promises, asked of the device that runs the program."""
    device, threads = "vulkan.device", config.threads
    is_size: tuple[Query, ...] = (
        Query(device, "subgroup_size", SUBGROUP, is_exact=True),
    )
    element = {8: "shader_int8", 16: "shader_float16"}[config.element_bits]
    if config.is_bfloat:
        element = "shader_bfloat16_cooperative_matrix"
    else:
        # The runtime asks for the size; it does not for objects, which bfloat16 needs.
        is_size = (*is_size, *feature("subgroup_size_control"))
    return (
        (Query("vulkan.cooperative_matrix", "supported", 1),),
        feature(element),
        *(
            [feature("storage_buffer_16bit_access")]
            if config.element_bits == 16
            else []
        ),
        (Query(device, "max_compute_workgroup_invocations", threads),),
        is_size,
    )


def stages(config: Config) -> tuple[Stage, ...]:
    (fallback,) = tile.stages(PORTABLE)
    return one_dispatch(
        config,
        (config.tile_m, config.tile_n),
        emit,
        width=RUN,
        subgroup_size=SUBGROUP,
        packed=True,
        needs=needs(config),
        fallback=fallback,
    )


STRATEGY = Strategy(
    "cooperative",
    "cooperative",
    Config,
    configure,
    stages,
    on_matrix_hardware=True,
)
