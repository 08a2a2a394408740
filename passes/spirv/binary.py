# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes SPIR-V modules as lists of instructions. Imports no compiler."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = 0x07230203
_HEADER_WORDS = 5


@dataclass(frozen=True)
class Instruction:
    """An instruction by the number of its operation, with its operands as words."""

    opcode: int
    operands: tuple[int, ...]

    @property
    def words(self) -> tuple[int, ...]:
        return (len(self.operands) + 1) << 16 | self.opcode, *self.operands


@dataclass(frozen=True)
class Binary:
    """A module: the words of its header, then its instructions."""

    header: tuple[int, ...]
    instructions: tuple[Instruction, ...]

    @staticmethod
    def read(data: bytes) -> Binary:
        words = struct.unpack(f"<{len(data) // 4}I", data)
        if words[0] != MAGIC:
            raise ValueError("not a SPIR-V module of this byte order")
        return Binary(words[:_HEADER_WORDS], tuple(_instructions(words)))

    def write(self) -> bytes:
        words = [*self.header, *(w for i in self.instructions for w in i.words)]
        return struct.pack(f"<{len(words)}I", *words)


def _instructions(words: tuple[int, ...]) -> Iterator[Instruction]:
    position = _HEADER_WORDS
    while position < len(words):
        count, opcode = divmod(words[position], 1 << 16)
        if count == 0:
            raise ValueError("an instruction has no words")
        yield Instruction(opcode, words[position + 1 : position + count])
        position += count


def text_words(text: str) -> tuple[int, ...]:
    """A literal string, ended by a zero byte and filled up to whole words."""
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def literal_text(words: tuple[int, ...]) -> str:
    """The literal string at the start of some words."""
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode()
