# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a side of the product to workgroup memory in quads, as matrix units take it.

Rows run along the operand's unit axis: [row or column][k] where that is k, and
[k][row or column] otherwise. Nothing is transposed on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from iree.compiler import ir
from iree.compiler.dialects import arith

from .arithmetic import Index
from .elementwise import inline
from .kernel import Kernel, Tile
from .memory import Buffer
from .operands import Elements, splat
from .quads import QUAD_BITS, in_loads, pack, quad_type

_ROW_GROUP = 8


@dataclass(frozen=True)
class Shape:
    """A side of one step: `positions` rows of A or columns of B, `terms` of k."""

    positions: int
    terms: int
    bits: int
    padding: int
    """Quads after a row."""

    def columns(self, along_k: bool) -> int:
        """Quads of a row."""
        return (self.terms if along_k else self.positions) * self.bits // QUAD_BITS

    def rows(self, along_k: bool) -> int:
        return self.positions if along_k else self.terms

    def pitch(self, along_k: bool) -> int:
        """Quads from a row to the next."""
        return self.columns(along_k) + self.padding

    def quads(self, along_k: bool) -> int:
        """Quads of workgroup memory."""
        return self.rows(along_k) * self.pitch(along_k)


def is_along_k(kernel: Kernel, side: str) -> bool:
    """Whether a side is staged with k in a row."""
    unit = kernel.bound.elements[side].unit
    own = "m" if side == "lhs" else "n"
    return unit is None or kernel.problem.axes[unit].kind != own


@dataclass(frozen=True)
class _Load:
    """One load of an invocation.

    `origin` are the offsets of its row, `shift` what is added to each; `k` is its
    place in a step, of which `ahead` is known at compile time.
    """

    origin: list[Index]
    shift: list[Index]
    k: Index
    ahead: int


@dataclass(frozen=True)
class _Copy:
    """A quad of workgroup memory, by its slot, and the loads that fill it."""

    slot: Index
    loads: list[_Load]


class QuadStager:
    """Brings steps of a side to workgroup memory.

    Positions outside the matrix repeat its last ones: what they add is never stored.
    Only the last, partial step is checked, and its missing terms are zero.
    """

    def __init__(self, owner: Tile, side: str, shape: Shape, start: int) -> None:
        self.kernel = kernel = owner.kernel
        self.owner = owner
        self.shape = shape
        self.start = start
        self.block: ir.Block = getattr(kernel.op, f"{side}_block")
        self.kind = "m" if side == "lhs" else "n"
        self.along_k = is_along_k(kernel, side)
        self.elements: Elements = in_loads(kernel.bound.elements[side])
        self.width = self.elements.width
        self.element = _element_of(shape.bits, self.block)
        self.copies = self._copies()

    def load(self, step: Index, is_tail: bool) -> list[ir.Value]:
        """The quads of a step by its number, in registers."""
        return [self._quad(copy, step, is_tail) for copy in self.copies]

    def store(self, buffer: Buffer, quads: list[ir.Value]) -> None:
        def body() -> None:
            for copy, quad in zip(self.copies, quads, strict=True):
                buffer.store(quad, copy.slot)

        kernel, count = self.kernel, self._count
        spare = [] if count >= kernel.threads else [kernel.less(self._thread, count)]
        kernel.if_(spare, body)

    @property
    def _thread(self) -> ir.Value:
        return self.kernel.thread_id

    @cached_property
    def _columns(self) -> int:
        return self.shape.columns(self.along_k)

    @cached_property
    def _count(self) -> int:
        return self.shape.rows(self.along_k) * self._columns

    def _copies(self) -> list[_Copy]:
        """Neighboring invocations take neighbors along the unit axis."""
        kernel = self.kernel
        thread = kernel.rem(self._thread, min(self._count, kernel.threads))
        column = kernel.rem(thread, self._columns)
        rows = max(1, kernel.threads // self._columns)
        row = self._spread(kernel.div(thread, self._columns), rows)
        passes = max(1, self._count // kernel.threads)
        return [self._copy(row, n * rows, column) for n in range(passes)]

    def _spread(self, row: Index, rows: int) -> Index:
        """Rows in the order in which eight neighbors store to different banks.

        Eight invocations write 128 bytes at a time; short rows that are `apart` from
        each other, with a quad of padding each, share no bank.
        """
        together = _ROW_GROUP // self._columns
        if together < 2 or rows % _ROW_GROUP:
            return row
        kernel, apart = self.kernel, self._columns
        group = kernel.mul(kernel.div(row, _ROW_GROUP), _ROW_GROUP)
        row = kernel.rem(row, _ROW_GROUP)
        spread = kernel.mul(kernel.rem(row, together), apart)
        return kernel.add(group, kernel.add(kernel.div(row, together), spread))

    def _copy(self, row: Index, ahead: int, column: Index) -> _Copy:
        kernel, pitch = self.kernel, self.shape.pitch(self.along_k)
        slot = kernel.add(kernel.mul(row, pitch), column)
        slot = kernel.add(slot, self.start + ahead * pitch)
        per_quad = QUAD_BITS // self.shape.bits // self.width
        column = kernel.mul(column, per_quad)
        if self.along_k:
            loads = [
                _Load(*self._origin(row, ahead), column, n) for n in range(per_quad)
            ]
        else:
            loads = [
                _Load(*self._origin(column, n), row, ahead) for n in range(per_quad)
            ]
        return _Copy(slot, loads)

    def _origin(self, position: Index, ahead: int) -> tuple[list[Index], list[Index]]:
        """Offsets of a position, counted in loads where those lie along positions."""
        kernel, unit = self.kernel, 1 if self.along_k else self.width
        size = kernel.problem.size_of(self.kind)
        first = self.owner.first_row if self.kind == "m" else self.owner.first_column
        first = kernel.add(kernel.div(first, unit), position)
        axes = kernel.problem.axes_of(self.kind)
        nothing: list[Index] = [0] * len(self.elements.inputs)
        if size.is_multiple_of(self.shape.positions) and len(axes) == 1:
            return self._offsets(first, unit), self._strides(axes[0], ahead)
        last = kernel.sub(kernel.div(kernel.size(size), unit), 1)
        return self._offsets(kernel.min(kernel.add(first, ahead), last), unit), nothing

    def _offsets(self, position: Index, unit: int) -> list[Index]:
        indices = self.kernel.indices(self.kind, position, unit)
        return self.elements.offsets({**self.owner.batch_indices, **indices})

    def _strides(self, axis: int, count: int) -> list[Index]:
        """How far `count` along an axis is in each input."""
        sizes = self.elements.sizes
        return [sizes.offset(i.operand, {axis: count}) for i in self.elements.inputs]

    def _quad(self, copy: _Copy, step: Index, is_tail: bool) -> ir.Value:
        values = [self._load(load, step, is_tail) for load in copy.loads]
        if values[0].type == quad_type():
            (quad,) = values
            return quad
        return pack([e for value in values for e in self.kernel.elements(value)])

    def _load(self, load: _Load, step: Index, is_tail: bool) -> ir.Value:
        kernel, unit = self.kernel, self.width if self.along_k else 1
        first = kernel.mul(step, self.shape.terms // unit)
        if not is_tail:
            return self._value(self._at(load, kernel.add(first, load.k)))
        k = kernel.add(kernel.add(first, load.k), load.ahead)
        inside = kernel.less(k, kernel.div(kernel.k, unit))
        indices = kernel.indices("k", kernel.select(inside, k, 0), unit)
        offsets = self.elements.offsets(indices, load.origin)
        value = self._value(list(map(kernel.add, offsets, load.shift)))
        if isinstance(value.type, ir.VectorType):
            (width,) = value.type.shape
            inside = splat(inside, width)  # SPIR-V 1.3 needs a vector
        return arith.select(inside, value, kernel.zero_of(value.type))

    def _at(self, load: _Load, k: Index) -> list[Index]:
        """Offsets inside k; what is known at compile time is added last."""
        kernel, unit = self.kernel, self.width if self.along_k else 1
        axes = kernel.problem.axes_of("k")
        shift = load.shift
        if len(axes) == 1:
            shift = list(map(kernel.add, shift, self._strides(axes[0], load.ahead)))
        else:
            k = kernel.add(k, load.ahead)
        offsets = self.elements.offsets(kernel.indices("k", k, unit), load.origin)
        return list(map(kernel.add, offsets, shift))

    def _value(self, offsets: list[Index]) -> ir.Value:
        """What the side contributes, in the element type of the fragments."""
        loaded = self.elements.load(offsets)
        if self.elements.is_packed:
            return loaded[0]
        (value,) = inline(self.block, loaded)
        return _converted(value, self.element)


def _element_of(bits: int, block: ir.Block) -> ir.Type:
    """The element type of fragments; bfloat16 where that is what is multiplied."""
    *_, terminator = block.operations
    if bits == 16 and isinstance(terminator.operands[0].type, ir.BF16Type):
        return ir.BF16Type.get()
    return ir.Type.parse({8: "i8", 16: "f16", 32: "f32"}[bits])


def _converted(value: ir.Value, element: ir.Type) -> ir.Value:
    """A value in the element type of the fragments; an f32 may be rounded to f16."""
    is_vector = isinstance(value.type, ir.VectorType)
    given = value.type.element_type if is_vector else value.type
    if given == element:
        return value
    type_ = ir.VectorType.get(value.type.shape, element) if is_vector else element
    if isinstance(given, ir.IntegerType):
        return arith.sitofp(type_, value)
    convert = arith.truncf if isinstance(given, ir.F32Type) else arith.extf
    return convert(type_, value)
