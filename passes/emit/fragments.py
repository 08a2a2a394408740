# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 16x16x16 fragments by subgroups, operands staged in workgroup memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from iree.compiler import ir
from iree.compiler.dialects import gpu

from .arithmetic import Index
from .kernel import Kernel, Tile
from .memory import Buffer
from .quad_staging import QuadStager, Shape, is_along_k
from .quads import QUAD_BITS, workgroup_quads

SIZE = 16
"""Rows, columns and terms of a fragment."""

SUBGROUP = 32
_RUN = 4


@dataclass(frozen=True)
class Layout:
    """How a workgroup shares its tile; sizes in elements, padding in quads."""

    tile_m: int
    tile_n: int
    tile_k: int
    subgroups_m: int
    subgroups_n: int
    padding: int
    element_bits: int

    @property
    def threads(self) -> int:
        return self.subgroups_m * self.subgroups_n * SUBGROUP

    @property
    def rows(self) -> int:
        """Rows of C that a subgroup has."""
        return self.tile_m // self.subgroups_m

    @property
    def columns(self) -> int:
        """Columns of C that a subgroup has."""
        return self.tile_n // self.subgroups_n

    def shape(self, side: str) -> Shape:
        positions = self.tile_m if side == "lhs" else self.tile_n
        return Shape(positions, self.tile_k, self.element_bits, self.padding)

    @property
    def strip_pitch(self) -> int:
        """Quads from a row to the next of a subgroup's strip of C."""
        return self.columns // _RUN + 1

    @property
    def strip_quads(self) -> int:
        """Quads of a strip of C: one row of fragments."""
        return SIZE * self.strip_pitch

    def quads(self, lhs_along_k: bool, rhs_along_k: bool) -> int:
        """Quads of workgroup memory; strips of C follow the operands in it."""
        staged = self.shape("lhs").quads(lhs_along_k)
        staged += self.shape("rhs").quads(rhs_along_k)
        return max(staged, self.subgroups_m * self.subgroups_n * self.strip_quads)

    @property
    def max_quads(self) -> int:
        """The most that any layout of the operands takes."""
        return max(self.quads(a, b) for a in (True, False) for b in (True, False))


@dataclass(frozen=True)
class _Fragments:
    """A subgroup's part of a staged side.

    `first` is the slot of its first fragment, `apart` the slots from one to the next,
    `along` those from 16 terms to the next.
    """

    type_: ir.Type
    count: int
    first: Index
    apart: int
    along: int
    pitch: int
    transposed: bool

    def load(self, kernel: Kernel, buffer: Buffer, term: Index) -> list[ir.Value]:
        """The fragments of 16 terms by their number in the step."""
        start = kernel.add(self.first, kernel.mul(term, self.along))
        slots = [kernel.add(start, n * self.apart) for n in range(self.count)]
        return [
            gpu.subgroup_mma_load_matrix(
                self.type_,
                buffer.memref,
                [kernel.value(slot)],
                self.pitch,
                transpose=self.transposed or None,
            )
            for slot in slots
        ]


class FragmentProduct:
    """A workgroup's tile of C as fragments of its subgroups.

    Each step is copied to workgroup memory while the next is on its way to registers.
    """

    def __init__(self, owner: Tile, layout: Layout) -> None:
        self.owner = owner
        self.kernel = kernel = owner.kernel
        self.layout = layout
        along = {side: is_along_k(kernel, side) for side in ("lhs", "rhs")}
        self.buffer = workgroup_quads(kernel, layout.quads(along["lhs"], along["rhs"]))
        start = layout.shape("lhs").quads(along["lhs"])
        self.stagers = (
            QuadStager(owner, "lhs", layout.shape("lhs"), 0),
            QuadStager(owner, "rhs", layout.shape("rhs"), start),
        )

    @cached_property
    def subgroup(self) -> tuple[Index, Index]:
        """Row and column of this subgroup in the grid of subgroups."""
        kernel, across = self.kernel, self.layout.subgroups_n
        number = gpu.subgroup_id()
        return kernel.div(number, across), kernel.rem(number, across)

    def sums(self, steps: tuple[Index, Index], has_tail: bool) -> list[ir.Value]:
        """Row-major fragments of C over a range of whole steps, and the rest of k."""
        kernel = self.kernel
        zeros = [self._zero()] * (self._a.count * self._b.count)
        ahead = self._load(steps[0]) if self._is_ahead else []
        carried = kernel.loop((*steps, 1), [*zeros, *ahead], self._step)
        sums = carried[: len(zeros)]
        return self._multiply(self._loaded_tail(steps[1]), sums) if has_tail else sums

    @cached_property
    def _is_ahead(self) -> bool:
        """Whether k is known to have a whole step, which may then be loaded early."""
        return isinstance(self.kernel.k, int) and self.kernel.k >= self.layout.tile_k

    @cached_property
    def _a(self) -> _Fragments:
        return self._fragments(0, self.subgroup[0], self.layout.rows)

    @cached_property
    def _b(self) -> _Fragments:
        return self._fragments(1, self.subgroup[1], self.layout.columns)

    def _fragments(self, side: int, number: Index, extent: int) -> _Fragments:
        kernel, stager = self.kernel, self.stagers[side]
        along_k, bits = stager.along_k, self.layout.element_bits
        pitch, quads = stager.shape.pitch(along_k), SIZE * bits // QUAD_BITS
        apart, along = (SIZE * pitch, quads) if along_k else (quads, SIZE * pitch)
        first = kernel.add(kernel.mul(number, extent // SIZE * apart), stager.start)
        name, role = {8: "si8", 16: "f16"}[bits], "AB"[side]
        type_ = ir.Type.parse(f'!gpu.mma_matrix<{SIZE}x{SIZE}x{name}, "{role}Op">')
        transposed = along_k if side else not along_k
        count = extent // SIZE
        return _Fragments(type_, count, first, apart, along, pitch, transposed)

    def _zero(self) -> ir.Value:
        kernel = self.kernel
        name = f"{SIZE}x{SIZE}x{kernel.accumulator}"
        type_ = ir.Type.parse(f'!gpu.mma_matrix<{name}, "COp">')
        return gpu.subgroup_mma_constant_matrix(type_, kernel.zero())

    def _load(self, step: Index, is_tail: bool = False) -> list[ir.Value]:
        return [w for side in self.stagers for w in side.load(step, is_tail)]

    def _step(self, step: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        kernel, count = self.kernel, self._a.count * self._b.count
        sums, quads = carried[:count], carried[count:]
        self._place(quads if self._is_ahead else self._load(step))
        if not self._is_ahead:
            return self._multiplied(sums)
        last = kernel.div(kernel.k, self.layout.tile_k)
        # After the last whole step, loads that step again: nobody uses it.
        after = kernel.min(kernel.add(step, 1), kernel.sub(last, 1))
        ahead = self._load(after)
        return [*self._multiplied(sums), *ahead]

    def _loaded_tail(self, step: Index) -> list[ir.Value]:
        return self._load(step, is_tail=True)

    def _multiply(self, quads: list[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        self._place(quads)
        return self._multiplied(sums)

    def _place(self, quads: list[ir.Value]) -> None:
        """Puts a step in workgroup memory."""
        lhs, rhs = self.stagers
        count = len(lhs.copies)
        self.kernel.barrier()
        lhs.store(self.buffer, quads[:count])
        rhs.store(self.buffer, quads[count:])
        self.kernel.barrier()

    def _multiplied(self, sums: list[ir.Value]) -> list[ir.Value]:
        """Adds the step in workgroup memory, 16 terms at a time.

        The loop stays rolled: the body is what fits the instruction cache.
        """
        kernel, terms = self.kernel, self.layout.tile_k // SIZE

        def body(term: Index, sums: list[ir.Value]) -> list[ir.Value]:
            a = self._a.load(kernel, self.buffer, term)
            b = self._b.load(kernel, self.buffer, term)
            pairs = [(x, y) for x in a for y in b]
            return [
                gpu.subgroup_mma_compute(x, y, s)
                for (x, y), s in zip(pairs, sums, strict=True)
            ]

        return body(0, sums) if terms == 1 else kernel.loop((0, terms, 1), sums, body)
