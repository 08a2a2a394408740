# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a SPIR-V kernel does, from its disassembly."""

from __future__ import annotations

import re
import struct
import subprocess
import sysconfig
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_TARGET = "vulkan1.3"
# Words of the binary form; an instruction is its length and its number in one word.
_VERSION = 0x00010600
_HEADER = 5
_CAPABILITY = 2 << 16 | 17
_MEMORY_MODEL = 3 << 16 | 14
_VULKAN_MODEL = 3
_VULKAN_MODEL_CAPABILITY = 5345
_SUBGROUP_CAPABILITY = 61
_COOPERATIVE_MATRIX = 6022
_LINE = re.compile(r"(?:(%\d+) = )?(Op\w+)(?: (.*))?$")
_COUNTED = {
    "OpControlBarrier": "barriers",
    "OpLoopMerge": "loops",
    "OpBranchConditional": "branches",
    "OpCooperativeMatrixMulAddKHR": "matrix multiplications",
    "OpCooperativeMatrixLoadKHR": "matrix loads",
    "OpCooperativeMatrixStoreKHR": "matrix stores",
}
_UNCOUNTED = ("OpLabel", "OpFunction", "OpFunctionEnd", "OpVariable")


@dataclass(frozen=True)
class Instruction:
    """One line of a disassembly: its result, name and operands as words."""

    result: str
    name: str
    operands: tuple[str, ...]


def counts_of(path: Path) -> dict[str, int]:
    """What a module holds, by what it is; nothing that it does not have."""
    text = _tool("spirv-dis", "--raw-id", str(path)).stdout
    matches = filter(None, map(_LINE.match, map(str.strip, text.splitlines())))
    return _Module(
        [Instruction(m[1] or "", m[2], tuple((m[3] or "").split())) for m in matches]
    ).counts()


def validation_errors(path: Path) -> str:
    """What spirv-val says of a module, as it is or with its head amended.

    IREE 3.13 writes heads for some targets that are refused whatever the kernel is,
    and that drivers take: version 1.0 with an interface as of 1.4, cooperative
    matrices without the memory model of Vulkan, and the number of the subgroup
    without the capability for it.
    """
    if not _errors(path):
        return ""
    amended = path.with_suffix(".amended")
    amended.write_bytes(_with_amended_head(path.read_bytes()))
    return _errors(amended)


def _errors(path: Path) -> str:
    done = _tool("spirv-val", "--target-env", _TARGET, str(path))
    return (done.stdout + done.stderr).strip()


def _with_amended_head(module: bytes) -> bytes:
    words = list(struct.unpack(f"<{len(module) // 4}I", module))
    words[1] = _VERSION
    added = [_SUBGROUP_CAPABILITY]
    if _COOPERATIVE_MATRIX in words:
        words[words.index(_MEMORY_MODEL) + 2] = _VULKAN_MODEL
        added.append(_VULKAN_MODEL_CAPABILITY)
    for capability in added:
        words[_HEADER:_HEADER] = [_CAPABILITY, capability]
    return struct.pack(f"<{len(words)}I", *words)


def _tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sysconfig.get_path("scripts")) / name
    return subprocess.run([program, *arguments], capture_output=True, text=True)


@dataclass(frozen=True)
class _Module:
    instructions: list[Instruction]

    @cached_property
    def by_result(self) -> dict[str, Instruction]:
        return {i.result: i for i in self.instructions if i.result}

    def counts(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for instruction in self._body():
            found["instructions"] += 1
            found[self._kind(instruction)] += 1
        del found[""]
        found["bytes of workgroup memory"] = self._workgroup_bytes()
        found["invocations"] = self._invocations()
        return {kind: n for kind, n in sorted(found.items()) if n}

    def _body(self) -> list[Instruction]:
        names = [i.name for i in self.instructions]
        body = self.instructions[names.index("OpFunction") :]
        return [i for i in body if i.name not in _UNCOUNTED]

    def _kind(self, instruction: Instruction) -> str:
        if instruction.name == "OpExtInst" and "Fma" in instruction.operands:
            lanes = self._size(instruction.operands[0]) // 4
            return f"fused multiply-adds of {lanes}"
        if instruction.name in ("OpLoad", "OpStore"):
            return self._access(instruction)
        return _COUNTED.get(instruction.name, "")

    def _access(self, instruction: Instruction) -> str:
        """Such as `loads of 16 bytes, Workgroup`; inputs of the stage are no access."""
        is_load = instruction.name == "OpLoad"
        pointer = self.by_result[instruction.operands[1 if is_load else 0]]
        storage, type_ = self.by_result[pointer.operands[0]].operands
        if storage not in ("Workgroup", "StorageBuffer", "PhysicalStorageBuffer"):
            return ""
        what = "loads" if is_load else "stores"
        return f"{what} of {self._size(type_)} bytes, {storage}"

    def _size(self, name: str) -> int:
        """Bytes of a type; 0 for one without a size."""
        type_ = self.by_result[name]
        if type_.name in ("OpTypeFloat", "OpTypeInt"):
            return int(type_.operands[0]) // 8
        if type_.name == "OpTypeVector":
            return self._size(type_.operands[0]) * int(type_.operands[1])
        if type_.name == "OpTypeArray":
            length = self.by_result[type_.operands[1]].operands[1]
            return self._size(type_.operands[0]) * int(length)
        if type_.name == "OpTypeStruct":
            return sum(map(self._size, type_.operands))
        return 0

    def _workgroup_bytes(self) -> int:
        variables = (i for i in self.instructions if i.name == "OpVariable")
        return sum(
            self._size(self.by_result[v.operands[0]].operands[1])
            for v in variables
            if v.operands[1] == "Workgroup"
        )

    def _invocations(self) -> int:
        for i in self.instructions:
            if i.name == "OpExecutionMode" and i.operands[1] == "LocalSize":
                x, y, z = map(int, i.operands[2:5])
                return x * y * z
        return 0
