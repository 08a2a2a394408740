# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binds the tensors and scalars of a product to a kernel's interface.

The interface is: an i32 constant for each run-time size, then one for each scalar;
a binding for each lookup, then for each tensor read, then for each tensor written.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from iree.compiler import ir
from iree.compiler.dialects import arith, hal

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Operand, Problem, Size

from .arithmetic import Arithmetic
from .memory import Buffer, storage_buffer_type
from .narrow import NarrowBuffer, is_narrow, widen
from .operands import Elements, Input, Sizes, input_width, unpack_scalar
from .quads import QUAD_BITS, quad_type

if TYPE_CHECKING:
    from .kernel import Interface

_WIDTH = 4


@dataclass(frozen=True)
class Bound:
    """The groups of a product's operands as a kernel sees them; absent ones empty."""

    elements: dict[str, Elements]
    results: tuple[Input, ...]
    scratch: Buffer | None


@dataclass
class Binder:
    """Hands out constants and bindings in order."""

    arithmetic: Arithmetic
    layout: ir.Attribute
    next_constant: int = 0
    next_binding: int = 0
    _sizes: Sizes | None = field(default=None, init=False)
    _is_wide: bool = field(default=False, init=False)

    def symbols(self, problem: Problem) -> dict[int, ir.Value]:
        words = {symbol: self._constant() for symbol in problem.symbols}
        for symbol, operand in problem.lookups:
            buffer = self._buffer(operand.length, ir.IntegerType.get_signless(32), 1)
            words[symbol] = buffer.load(operand.offset)
        index = ir.IndexType.get()
        return {s: arith.index_castui(index, word) for s, word in words.items()}

    def bind(
        self, op: MatmulOp, problem: Problem, sizes: Sizes, interface: Interface
    ) -> Bound:
        self._sizes, self._is_wide = sizes, interface.is_wide
        elements: dict[str, Elements] = {}
        scratch = None
        for group in interface.reads:
            if group == "scratch":
                scratch = self._scratch(op, problem, interface)
            else:
                packed = packed_width(op, problem, group) if interface.packed else None
                if packed is None:
                    width = _group_width(problem, group, interface.width)
                    elements[group] = self._elements(op, problem, group, width)
                else:
                    elements[group] = self._packed(problem, group, packed)
        if interface.writes == "scratch":
            scratch = self._scratch(op, problem, interface)
            return Bound(elements, (), scratch)
        results = tuple(
            self._input(o, r.type, interface.width, is_written=True)
            for o, r in zip(problem.results, op.results, strict=True)
        )
        return Bound(elements, results, scratch)

    def _elements(
        self, op: MatmulOp, problem: Problem, group: str, width: int
    ) -> Elements:
        operands = getattr(problem, group)
        is_side = group != "extras"
        unit = problem.unit_axis(operands) if is_side else problem.axes_of("n")[-1]
        inputs = tuple(
            self._input(o, v.type, input_width(o, width, unit))
            for o, v in zip(operands, getattr(op, group), strict=True)
        )
        assert self._sizes is not None
        return Elements(inputs, self._sizes, width, unit, is_wide=self._is_wide)

    def _packed(self, problem: Problem, group: str, width: int) -> Elements:
        assert self._sizes is not None
        (operand,) = getattr(problem, group)
        length = operand.length.divided(width)
        buffer = self._buffer(length, quad_type(), 1)
        source = Input(operand, replace(buffer, width=width))
        unit = problem.unit_axis((operand,))
        return Elements((source,), self._sizes, width, unit, is_packed=True)

    def _input(
        self, operand: Operand, type_: ir.Type, width: int, is_written: bool = False
    ) -> Input:
        if operand.is_scalar:
            return Input(operand, self._scalar(type_))
        element = ir.RankedTensorType(type_).element_type
        if self._is_wide and is_narrow(element):
            is_scalar_store = is_written and width == 1
            return Input(
                operand, self._narrow(operand.length, element, width, is_scalar_store)
            )
        return Input(operand, self._buffer(operand.length, element, width))

    def _scratch(self, op: MatmulOp, problem: Problem, interface: Interface) -> Buffer:
        element = op.epilogue_block.arguments[0].type
        length = scratch_length(problem, interface.planes)
        return self._buffer(length, element, interface.width)

    def _scalar(self, type_: ir.Type) -> ir.Value:
        word = self._constant()
        if self._is_wide and is_narrow(type_):
            return widen(word, type_)
        return unpack_scalar(word, type_)

    def _narrow(
        self, length: Size, element: ir.Type, width: int, is_scalar_store: bool
    ) -> NarrowBuffer:
        """A buffer of words, or of narrow integers to store scalars."""
        bits = element.width if is_scalar_store else 32
        per_slot = bits // element.width
        slots = Size(-(-length.factor // per_slot), length.symbols)
        integer = ir.IntegerType.get_signless(bits)
        slot = self._buffer(slots, integer, 1)
        return NarrowBuffer(slot.memref, width, self.arithmetic, element)

    def _buffer(self, length: Size, element: ir.Type, width: int) -> Buffer:
        type_ = storage_buffer_type(length.static, element, width)
        dims = []
        if length.static is None:
            assert self._sizes is not None
            count = self.arithmetic.div(self._sizes.value(length), width)
            dims = [self.arithmetic.value(count)]
        memref = hal.interface_binding_subspan(
            type_, self.layout, self.next_binding, dims, alignment=64
        )
        self.next_binding += 1
        return Buffer(memref, width, self.arithmetic)

    def _constant(self) -> ir.Value:
        i32 = ir.IntegerType.get_signless(32)
        ordinal = ir.IntegerAttr.get(ir.IndexType.get(), self.next_constant)
        self.next_constant += 1
        return hal.interface_constant_load(i32, self.layout, ordinal)


def packed_width(op: MatmulOp, problem: Problem, group: str) -> int | None:
    """Elements of the quads that bring a side as it lies; None where it is computed.

    Also None where rows are not made of whole quads.
    """
    operands = getattr(problem, group)
    block: ir.Block = getattr(op, f"{group}_block", None)
    if group == "extras" or len(operands) != 1 or not is_identity(block):
        return None
    width = QUAD_BITS // operands[0].bits
    is_narrow = operands[0].bits < 32
    return width if is_narrow and problem.is_vectorizable(operands, width) else None


def is_identity(block: ir.Block) -> bool:
    (terminator, *more) = block.operations
    return not more and terminator.operands[0] == block.arguments[0]


def _group_width(problem: Problem, group: str, output_width: int) -> int:
    if group == "extras":
        return output_width
    return _WIDTH if problem.is_vectorizable(getattr(problem, group), _WIDTH) else 1


def scratch_length(problem: Problem, planes: int) -> Size:
    """Elements of scratch: `planes` times C, row-major [plane][batch][m][n]."""
    return problem.batch * problem.m * problem.n * Size(planes)
