# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spirv-val on cooperative kernels, as IREE writes them and as bfloat16 ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from cooperative_products import Product, lowered
from iree.compiler import ir

from iree_gemm.passes.spirv.bfloat16 import with_bfloat16_fragments
from iree_gemm.passes.spirv.binary import Binary
from iree_gemm.passes.spirv.translate import translate
from iree_gemm.passes.strategies import cooperative, cooperative_split_k

# IREE 3.13 declares the GLSL450 memory model in every module. Cooperative matrices
# ask for that of Vulkan; drivers take either, and the barriers of these kernels order
# memory by both. No other complaint is allowed.
ALLOWED = (
    "If the Shader and CooperativeMatrixKHR capabilities are declared, the "
    "VulkanMemoryModel capability must also be declared"
)
F16, BF16, I8 = ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("i8", "i8", "i32")
SPLIT = cooperative_split_k.Config(**asdict(cooperative.MEDIUM), ranges=2)


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        yield


def kernels(product: Product, choice: tuple[str, Any], target: str) -> list[Binary]:
    """The cooperative kernels of a product as SPIR-V."""
    module = lowered(product.text, choice, target)
    variants: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "hal.executable.variant":
            variants.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    first = ir.StringAttr.get("matrix_units")
    return list(
        translate([v for v in variants if v.attributes["sym_name"] == first]).values()
    )


def complaints(kernel: Binary, folder: Path) -> list[str]:
    path = folder / "kernel.spv"
    path.write_bytes(kernel.write())
    tool = next(Path(sys.prefix).glob("**/cmeel.prefix/bin/spirv-val"))
    command = [str(tool), "--target-env", "vulkan1.3", str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    return [line for line in result.stderr.splitlines() if "error:" in line]


@pytest.mark.parametrize("size", [(128, 128, 384), (100, 132, 392), (33, 35, 400)])
@pytest.mark.parametrize(
    ("types", "target"), [(F16, "ampere"), (BF16, "ampere"), (I8, "rdna3")]
)
@pytest.mark.parametrize("config", [cooperative.LARGE, SPLIT], ids=["whole", "split"])
def test_valid_but_for_the_memory_model(
    size: tuple[int, int, int],
    types: tuple[str, str, str],
    target: str,
    config: cooperative.Config,
    tmp_path: Path,
) -> None:
    name = "cooperative-split-k" if config is SPLIT else "cooperative"
    choice = (name, config.of(types[0]))
    (kernel,) = kernels(Product(*size, types), choice, target)
    if types == BF16:
        kernel = with_bfloat16_fragments(kernel)
    (complaint,) = complaints(kernel, tmp_path)
    assert ALLOWED in complaint


def test_reading_and_writing_changes_nothing() -> None:
    choice = ("cooperative", cooperative.LARGE)
    (kernel,) = kernels(Product(128, 128, 64, F16), choice, "ampere")
    assert Binary.read(kernel.write()) == kernel


def test_halves_beside_fragments_are_refused() -> None:
    """Values of an epilogue in f16 would become bfloat16 too."""
    choice = ("cooperative", cooperative.LARGE)
    product = Product(128, 128, 64, ("f16", "f16", "f16"))
    (kernel,) = kernels(product, choice, "ampere")
    with pytest.raises(ValueError, match="f16 values beside its fragments"):
        with_bfloat16_fragments(kernel)
