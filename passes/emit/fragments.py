# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of square fragments by subgroups, operands staged in workgroup memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from iree.compiler import ir
from iree.compiler.dialects import arith, gpu

from .arithmetic import Index
from .fragment_layout import SUBGROUP, Layout
from .kernel import Kernel, Tile
from .quad_staging import QuadStager, is_along_k
from .quads import QUAD_BITS, workgroup_quads
from .reduction import unrolled

_NAMES = {8: "si8", 16: "f16", 32: "f32"}

Step = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
"""Adds the terms of a step, by its number, to what is carried."""

Join = Callable[[list[ir.Value], list[ir.Value]], list[ir.Value]]
"""Totals after the fragments of a chain have joined them."""


@dataclass(frozen=True)
class _Fragments:
    """A subgroup's part of a staged side.

    `first` is the slot of its first fragment, `apart` the slots from one to the next,
    `along` those from a fragment's terms to the next.
    """

    memref: ir.Value
    type_: ir.Type
    count: int
    first: Index
    apart: int
    along: int
    pitch: int
    transposed: bool

    def load(self, kernel: Kernel, term: Index) -> list[ir.Value]:
        """The fragments of some terms, counted in fragments."""
        start = kernel.add(self.first, kernel.mul(term, self.along))
        slots = [kernel.add(start, n * self.apart) for n in range(self.count)]
        return [
            gpu.subgroup_mma_load_matrix(
                self.type_,
                self.memref,
                [kernel.value(slot)],
                self.pitch,
                transpose=self.transposed or None,
            )
            for slot in slots
        ]


def multiply_fragments(
    a: list[ir.Value], b: list[ir.Value], sums: list[ir.Value]
) -> list[ir.Value]:
    """`sums[i * len(b) + j] + a[i] b[j]` for every pair."""
    pairs = [(x, y) for x in a for y in b]
    return [
        gpu.subgroup_mma_compute(x, y, s) for (x, y), s in zip(pairs, sums, strict=True)
    ]


def fragment_type(size: int, element: str, role: str) -> ir.Type:
    """`role` is A, B or C."""
    return ir.Type.parse(f'!gpu.mma_matrix<{size}x{size}x{element}, "{role}Op">')


def add_fragments(a: ir.Value, b: ir.Value) -> ir.Value:
    kind = ir.Attribute.parse("#gpu.mma_element_wise<addf>")
    return gpu.subgroup_mma_elementwise(a.type, [a, b], kind)


def _of_first_lane(index: ir.Value) -> ir.Value:
    """The value that the first invocation of a subgroup has.

    It makes the number of a subgroup uniform in every driver's eyes, and declares the
    capability GroupNonUniform, which IREE 3.13 forgets beside SubgroupId.
    """
    i32 = ir.IntegerType.get_signless(32)
    lane, width = (arith.constant(i32, n) for n in (0, SUBGROUP))
    word = arith.index_cast(i32, index)
    word, _ = gpu.shuffle(word, lane, width, gpu.ShuffleMode.IDX)
    return arith.index_cast(ir.IndexType.get(), word)


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
        if self.layout.broadcasts_subgroup:
            number = _of_first_lane(number)
        return kernel.div(number, across), kernel.rem(number, across)

    @property
    def sum_type(self) -> ir.Type:
        return ir.F32Type.get() if self.layout.sums_in_f32 else self.kernel.accumulator

    def staged(self, steps: tuple[Index, Index]) -> list[ir.Value]:
        """Row-major fragments of C over a range of whole steps."""
        return self.joined(steps, self._ahead(steps[0]), self._step)

    def staged_into(
        self, totals: list[ir.Value], steps: tuple[Index, Index], join: Join
    ) -> list[ir.Value]:
        """Totals, of any type, which the fragments of each chain join."""
        return self._chains(totals, steps, join, self._ahead(steps[0]), self._step)

    def zeros(self) -> list[ir.Value]:
        return [self._zero()] * (self._a.count * self._b.count)

    def with_tail(self, step: Index, sums: list[ir.Value]) -> list[ir.Value]:
        """Adds the rest of k, by the number of whole steps before it."""
        return self._multiply(self._loaded_tail(step), sums)

    def joined(
        self, steps: tuple[Index, Index], rest: list[ir.Value], step: Step
    ) -> list[ir.Value]:
        """Fragments of C; `rest` is what steps carry besides them."""
        kernel, zeros = self.kernel, self.zeros()
        count, each = kernel.sub(steps[1], steps[0]), self._steps_a_chain
        if not each or (isinstance(count, int) and count <= each):
            return kernel.loop((*steps, 1), [*zeros, *rest], step)[: len(zeros)]

        def join(totals: list[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
            return list(map(add_fragments, totals, sums))

        return self._chains(zeros, steps, join, rest, step)

    def _chains(
        self,
        totals: list[ir.Value],
        steps: tuple[Index, Index],
        join: Join,
        rest: list[ir.Value],
        step: Step,
    ) -> list[ir.Value]:
        kernel, zeros = self.kernel, self.zeros()

        def chain(start: Index, carried: list[ir.Value]) -> list[ir.Value]:
            joined, rest = carried[: len(totals)], carried[len(totals) :]
            end = kernel.min(kernel.add(start, self._steps_a_chain), steps[1])
            sums = kernel.loop((start, end, 1), [*zeros, *rest], step)
            return [*join(joined, sums[: len(zeros)]), *sums[len(zeros) :]]

        bounds = (*steps, self._steps_a_chain)
        return kernel.loop(bounds, [*totals, *rest], chain)[: len(totals)]

    @property
    def _steps_a_chain(self) -> int:
        return self.layout.chain // self.layout.tile_k

    def _ahead(self, step: Index) -> list[ir.Value]:
        """A step's quads; those of the last whole step again where it is beyond that,
        since nobody uses them."""
        if not self._is_ahead:
            return []
        kernel = self.kernel
        last = kernel.sub(kernel.div(kernel.k, self.layout.tile_k), 1)
        return self._load(kernel.min(step, last))

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
        along_k, bits, size = stager.along_k, self.layout.element_bits, self.layout.size
        pitch, quads = stager.shape.pitch(along_k), size * bits // QUAD_BITS
        apart, along = (size * pitch, quads) if along_k else (quads, size * pitch)
        count = extent // size
        first = kernel.add(kernel.mul(number, count * apart), stager.start)
        type_ = fragment_type(size, _NAMES[bits], "AB"[side])
        transposed = along_k if side else not along_k
        return _Fragments(
            self.buffer.memref, type_, count, first, apart, along, pitch, transposed
        )

    def _zero(self) -> ir.Value:
        kernel = self.kernel
        type_ = fragment_type(self.layout.size, str(self.sum_type), "C")
        zero = kernel.zero_of(self.sum_type)
        return gpu.subgroup_mma_constant_matrix(type_, zero)

    def _load(self, step: Index, is_tail: bool = False) -> list[ir.Value]:
        return [w for side in self.stagers for w in side.load(step, is_tail)]

    def _step(self, step: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        kernel, count = self.kernel, self._a.count * self._b.count
        sums, quads = carried[:count], carried[count:]
        self._place(quads if self._is_ahead else self._load(step))
        ahead = self._ahead(kernel.add(step, 1))
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
        """Adds the step in workgroup memory, a fragment's terms at a time."""
        kernel, terms = self.kernel, self.layout.tile_k // self.layout.size

        def body(term: Index, sums: list[ir.Value]) -> list[ir.Value]:
            a, b = self._a.load(kernel, term), self._b.load(kernel, term)
            return multiply_fragments(a, b, sums)

        unroll = terms if self.layout.is_unrolled else 1
        return unrolled(kernel, (0, terms, unroll), sums, body)
