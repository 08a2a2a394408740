# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device can do, as far as a choice depends on it. Imports no compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# NVIDIA drivers report maxComputeSharedMemorySize 49152 where IREE's tables claim
# 99 to 163 KiB; a kernel with 105 KiB hung pipeline creation on an H200.
_MEMORY_LIMIT = 48 * 1024


@dataclass(frozen=True)
class Target:
    """`compute` and `storage` are bit widths, e.g. {"fp32", "int8"} and {32, 16}.

    `mma` are the names of IREE's matrix intrinsics, `workgroup_memory` is in bytes,
    `compute_units` is None where the target does not say.
    """

    backend: str
    arch: str
    compute: frozenset[str]
    storage: frozenset[int]
    subgroup_sizes: tuple[int, ...]
    mma: tuple[str, ...]
    max_threads: int
    workgroup_memory: int
    max_workgroup_counts: tuple[int, int, int]
    compute_units: int | None

    def excesses(self, threads: int, workgroup_bytes: int) -> Iterator[str]:
        """What is too much of a workgroup of so many invocations and bytes."""
        if threads > self.max_threads:
            yield f"{threads} invocations, where {self.max_threads} are allowed"
        if workgroup_bytes > self.workgroup_memory:
            yield (
                f"{workgroup_bytes} bytes of workgroup memory, "
                f"where there are {self.workgroup_memory}"
            )

    @property
    def is_software(self) -> bool:
        """Runs on a CPU: 8-wide subgroups are what Mesa's llvmpipe reports."""
        return self.subgroup_sizes == (8,)


def parse_target(text: str) -> Target | str:
    """Reads a printed `#hal.executable.target`; a reason where it is not a GPU's."""
    match = re.search(r'#hal\.executable\.target<"([^"]+)"', text)
    backend = match[1] if match else "unknown"
    kind = {"vulkan-spirv": "vulkan", "metal-spirv": "metal"}.get(backend)
    if kind is None:
        return f"target backend {backend} has no kernels of ours"
    if "#iree_gpu.target<" not in text:
        return f"target backend {backend} does not describe its GPU"
    return Target(
        backend=kind,
        arch=_string(text, "arch"),
        compute=frozenset(_word(text, "compute", "none").split("|")),
        storage=frozenset(int(b[1:]) for b in _word(text, "storage", "b32").split("|")),
        subgroup_sizes=_numbers(text, "subgroup_size_choices"),
        mma=tuple(re.findall(r"<([A-Z][A-Z0-9_x]+)>", _list(text, "mma"))),
        max_threads=int(_word(text, "max_thread_count_per_workgroup", "128")),
        workgroup_memory=min(
            int(_word(text, "max_workgroup_memory_bytes", "16384")), _MEMORY_LIMIT
        ),
        max_workgroup_counts=_triple(_numbers(text, "max_workgroup_counts")),
        compute_units=_optional(_word(text, "wgp_count", "")),
    )


def _string(text: str, name: str) -> str:
    match = re.search(rf'{name} = "([^"]*)"', text)
    return match[1] if match else "unknown"


def _word(text: str, name: str, default: str) -> str:
    match = re.search(rf"\b{name} = ([\w|]+)", text)
    return match[1] if match else default


def _list(text: str, name: str) -> str:
    match = re.search(rf"\b{name} = \[([^\]]*)\]", text)
    return match[1] if match else ""


def _numbers(text: str, name: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", _list(text, name)))


def _triple(numbers: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = numbers or (65535, 65535, 65535)
    return x, y, z


def _optional(text: str) -> int | None:
    return int(text) if text else None
