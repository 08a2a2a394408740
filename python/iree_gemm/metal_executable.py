# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""IREE's Metal executables (`metal-msl-fb`): reads and replaces the MSL in one.

The only file that knows the format: a 64-byte header ("MTL1", version 0, the size),
then a flatbuffer. Fields are found by their place in the schema of IREE 3.13; the rest
of the flatbuffer is kept as it is.
"""

import struct
from dataclasses import dataclass

from iree_gemm.metal_kernels import MslKernel

MAGIC = b"MTL1\0\0\0\0"
HEADER_BYTES = 64
# Positions of the fields that are used here, by table.
ROOT_PIPELINES, ROOT_LIBRARIES = 0, 1
LIBRARY_SOURCE = 0
SOURCE_CODE = 1
PIPELINE_ENTRY, PIPELINE_THREADS = 1, 3


class FormatError(Exception):
    """Not a Metal executable of the form that IREE 3.13 writes."""


def read_executable(blob: bytes) -> MslKernel:
    """The kernel in an executable of one pipeline."""
    parts = _Parts.of(_Flatbuffer(_content(blob)))
    text, entry = (
        parts.flatbuffer.string(parts.code),
        parts.flatbuffer.string(parts.entry),
    )
    threads = struct.unpack_from("<3I", parts.flatbuffer.data, parts.threads)
    return MslKernel(text, entry, threads)


def replace_kernel(blob: bytes, kernel: MslKernel) -> bytes:
    """The executable with another source text, entry point and threadgroup size."""
    flatbuffer = _Flatbuffer(_content(blob))
    parts = _Parts.of(flatbuffer)
    flatbuffer.replace_string(parts.code, kernel.text)
    flatbuffer.replace_string(parts.entry, kernel.entry)
    struct.pack_into("<3I", flatbuffer.data, parts.threads, *kernel.threads)
    flatbuffer.align(16)
    size = struct.pack("<Q", len(flatbuffer.data))
    return blob[:8] + size + blob[16:HEADER_BYTES] + bytes(flatbuffer.data)


def _content(blob: bytes) -> bytearray:
    if len(blob) < HEADER_BYTES or blob[:8] != MAGIC:
        raise FormatError("not a version 0 Metal executable")
    (size,) = struct.unpack_from("<Q", blob, 8)
    if size > len(blob) - HEADER_BYTES:
        raise FormatError("the Metal executable is cut short")
    return bytearray(blob[HEADER_BYTES : HEADER_BYTES + size])


class _Flatbuffer:
    """Little-endian tables with 32-bit offsets, as far as they are needed here."""

    def __init__(self, data: bytearray) -> None:
        self.data = data

    def u32(self, at: int) -> int:
        try:
            return struct.unpack_from("<I", self.data, at)[0]
        except struct.error:
            raise FormatError("an offset leads out of the executable") from None

    def target(self, at: int) -> int:
        """Where the offset at a position leads."""
        return at + self.u32(at)

    def field(self, table: int, index: int) -> int:
        """The position of a table's field, which must be present."""
        signed = self.u32(table)
        vtable = table - (signed - (signed >> 31 << 32))
        slot = 4 + 2 * index
        if not 0 <= vtable < len(self.data) or slot >= self.u32(vtable) & 0xFFFF:
            raise FormatError(f"field {index} is missing")
        offset = self.u32(vtable + slot) & 0xFFFF
        if not offset:
            raise FormatError(f"field {index} is missing")
        return table + offset

    def only_element(self, at: int) -> int:
        """The one table in a vector of tables."""
        vector = self.target(at)
        if self.u32(vector) != 1:
            raise FormatError(f"expected one kernel, found {self.u32(vector)}")
        return self.target(vector + 4)

    def string(self, at: int) -> str:
        start = self.target(at)
        return self.data[start + 4 : start + 4 + self.u32(start)].decode()

    def replace_string(self, at: int, text: str) -> None:
        """Blanks the old text and points to the new one, at the end."""
        old = self.target(at)
        length = self.u32(old)
        self.data[old + 4 : old + 4 + length] = bytes(length)
        self.align(4)
        struct.pack_into("<I", self.data, at, len(self.data) - at)
        raw = text.encode("ascii")
        self.data += struct.pack("<I", len(raw)) + raw + b"\0"

    def align(self, step: int) -> None:
        self.data += bytes(-len(self.data) % step)


@dataclass(frozen=True)
class _Parts:
    """Where the replaceable fields are."""

    flatbuffer: _Flatbuffer
    code: int
    entry: int
    threads: int

    @classmethod
    def of(cls, flatbuffer: _Flatbuffer) -> "_Parts":
        root = flatbuffer.target(0)
        pipeline = flatbuffer.only_element(flatbuffer.field(root, ROOT_PIPELINES))
        library = flatbuffer.only_element(flatbuffer.field(root, ROOT_LIBRARIES))
        source = flatbuffer.target(flatbuffer.field(library, LIBRARY_SOURCE))
        return cls(
            flatbuffer,
            code=flatbuffer.field(source, SOURCE_CODE),
            entry=flatbuffer.field(pipeline, PIPELINE_ENTRY),
            threads=flatbuffer.field(pipeline, PIPELINE_THREADS),
        )
