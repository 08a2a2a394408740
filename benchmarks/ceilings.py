# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that reach what a device can do, in memory traffic and in arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

_KERNELS = Path(__file__).parent / "kernels"
_SUMS = [(i, j) for i in range(8) for j in range(2)]
_FRAGMENTS = [(i, j) for i in range(4) for j in range(4)]


@dataclass(frozen=True)
class Ceiling:
    """A kernel of `flops` operations and `bytes` of traffic.

    Its one input is of random numbers; `repeats` is the count of the longer chain.
    """

    name: str
    text: str
    input_shape: tuple[int, ...]
    input_type: str
    flops: int = 0
    bytes: int = 0
    repeats: int = 24


def gpu() -> Iterator[Ceiling]:
    """Sized for a large GPU: about a millisecond each."""
    yield _dispatch(repeats=200)
    yield _copy(vectors=2**24)
    yield _fma(workgroups=132 * 8, steps=1600)
    yield _mma(workgroups=132 * 4, steps=2000)


def cpu() -> Iterator[Ceiling]:
    """For software Vulkan, which has no matrix units."""
    yield _dispatch(repeats=24)
    yield _copy(vectors=2**20)
    yield _fma(workgroups=8, steps=64)


def _dispatch(repeats: int) -> Ceiling:
    text = _fill("dispatch", {"workgroups": 1})
    return Ceiling("dispatch", text, (64,), "f32", repeats=repeats)


def _copy(vectors: int) -> Ceiling:
    elements = 4 * vectors
    sizes = {"vectors": vectors, "elements": elements, "workgroups": vectors // 256}
    return Ceiling(
        "copy", _fill("copy", sizes), (elements,), "f32", bytes=2 * 4 * elements
    )


def _fma(workgroups: int, steps: int) -> Ceiling:
    threads = 256 * workgroups
    values = {
        "workgroups": workgroups,
        "steps": steps,
        "threads": threads,
        "elements": 4 * threads,
        "loads": _lines(_fma_loads()),
        "splats": _lines(
            f"%s{i} = vector.broadcast %x{i} : f32 to vector<4xf32>" for i in range(8)
        ),
        "products": _lines(
            f"  %p{n} = vector.fma %s{i}, %b{j}, %a{n} : vector<4xf32>"
            for n, (i, j) in enumerate(_SUMS)
        ),
        **_loop("vector<4xf32>", "arith.addf {}, {} : vector<4xf32>"),
    }
    flops = threads * steps * len(_SUMS) * 4 * 2
    return Ceiling("fma", _fill("fma", values), (4096,), "f32", flops)


def _fma_loads() -> Iterator[str]:
    """Two vectors of B and the elements of two vectors of A."""
    vectors = "memref<1024xvector<4xf32>, #storage>"
    for n, name in enumerate(("%b0", "%b1", "%v0", "%v1")):
        yield f"%o{n} = arith.constant {256 * n} : index"
        yield f"%i{n} = arith.addi %thread, %o{n} overflow<nsw, nuw> : index"
        yield f"{name} = memref.load %from[%i{n}] : {vectors}"
    for i in range(8):
        yield f"%x{i} = vector.extract %v{i // 4}[{i % 4}] : f32 from vector<4xf32>"


def _mma(workgroups: int, steps: int) -> Ceiling:
    subgroups = 4 * workgroups
    products = (
        f"  %p{n} = gpu.subgroup_mma_compute %f{i}, %g{j}, %a{n} : !a, !b -> !c"
        for n, (i, j) in enumerate(_FRAGMENTS)
    )
    values = {
        "workgroups": workgroups,
        "steps": steps,
        "rows": 16 * subgroups,
        "loads": _lines(_mma_loads()),
        "products": _lines(products),
        **_loop("!c", "gpu.subgroup_mma_elementwise addf {}, {} : (!c, !c) -> !c"),
    }
    flops = subgroups * steps * len(_FRAGMENTS) * 2 * 16**3
    return Ceiling("mma", _fill("mma", values), (128, 64), "f16", flops)


def _mma_loads() -> Iterator[str]:
    """Four fragments of A above four of B."""
    buffer = "memref<128x64xf16, #storage>"
    for name, type_, row in (("f", "!a", "%c0"), ("g", "!b", "%c64")):
        for n in range(4):
            yield f"%{name}c{n} = arith.constant {16 * n} : index"
            yield (
                f"%{name}{n} = gpu.subgroup_mma_load_matrix %from[{row}, %{name}c{n}]"
                f" leadDimension 64 : {buffer} -> {type_}"
            )


def _loop(type_: str, add: str) -> dict[str, str]:
    """What a loop carries: 16 values of a type, and their total after it."""
    total = ["%t0 = " + add.format("%sums#0", "%sums#0")]
    total += [
        f"%t{n} = " + add.format(f"%t{n - 1}", f"%sums#{n}") for n in range(1, 16)
    ]
    return {
        "starts": ", ".join(f"%a{n} = %zero" for n in range(16)),
        "types": ", ".join([type_] * 16),
        "yielded": ", ".join(f"%p{n}" for n in range(16)),
        "total": _lines(total),
    }


def _lines(lines: Iterator[str] | list[str]) -> str:
    return "\n".join("      " + line for line in lines)


def _fill(name: str, values: dict[str, object]) -> str:
    return Template((_KERNELS / f"{name}.mlir").read_text()).substitute(values)


CEILINGS: dict[str, Callable[[], Iterator[Ceiling]]] = {"gpu": gpu, "cpu": cpu}
