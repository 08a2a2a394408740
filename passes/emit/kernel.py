# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one object through which a strategy emits its kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from iree.compiler import ir
from iree.compiler.dialects import arith, gpu, hal, math

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Operand, Problem, Size

from .arithmetic import Arithmetic, Index
from .memory import Buffer, WorkgroupTile, storage_buffer_type, workgroup_tile
from .operands import Elements, Indices, Input, Sizes, input_width, unpack_scalar


class Kernel(Arithmetic):
    """Emits at the insertion point: the entry of the kernel's function.

    `tiles` are the rows and columns of C that a workgroup owns, `threads` its
    invocations. The grid is (tiles in n, tiles in m, batch).
    """

    def __init__(
        self,
        op: MatmulOp,
        problem: Problem,
        layout: ir.Attribute,
        tiles: tuple[int, int],
        threads: int,
    ) -> None:
        super().__init__(ir.InsertionPoint.current.block)
        self.op = op
        self.problem = problem
        self.layout = layout
        self.tile_m, self.tile_n = tiles
        self.threads = threads
        self.accumulator = op.epilogue_block.arguments[0].type
        self.sizes = Sizes(self, self._load_symbols())
        self._bind()
        self.thread_id = gpu.thread_id(gpu.Dimension.x)
        self.first_row = self.mul(self.workgroup_id(1), self.tile_m)
        self.first_column = self.mul(self.workgroup_id(0), self.tile_n)

    @cached_property
    def m(self) -> Index:
        return self.size(self.problem.m)

    @cached_property
    def n(self) -> Index:
        return self.size(self.problem.n)

    @cached_property
    def k(self) -> Index:
        return self.size(self.problem.k)

    @cached_property
    def batch(self) -> Indices:
        """The indices of the batch axes."""
        axes = self.problem.axes_of("batch")
        return self.split(axes, self.workgroup_id(2)) if axes else {}

    def size(self, size: Size) -> Index:
        return self.sizes.value(size)

    def split(self, axes: Sequence[int], index: Index) -> dict[int, Index]:
        """The indices of axes from their row-major index."""
        indices: dict[int, Index] = {}
        for axis in reversed(axes[1:]):
            size = self.size(self.problem.axes[axis].size)
            indices[axis] = self.rem(index, size)
            index = self.div(index, size)
        return {axes[0]: index, **indices}

    def indices(self, kind: str, index: Index) -> dict[int, Index]:
        """The indices of a kind's axes from the row, column or term number."""
        return self.split(self.problem.axes_of(kind), index)

    def workgroup_id(self, dimension: int) -> ir.Value:
        return hal.interface_workgroup_id(dimension)

    def barrier(self) -> None:
        """Orders workgroup memory alone, which is all that tiles need."""
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        gpu.barrier(address_spaces=ir.ArrayAttr.get([space]))

    def workgroup_tile(self, rows: int, columns: int) -> WorkgroupTile:
        return workgroup_tile(self, rows, columns, self.accumulator)

    def zero(self) -> ir.Value:
        return self.zero_of(self.accumulator)

    def multiply_add(self, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
        """`a * b + c` with one rounding, or in integers."""
        if isinstance(self.accumulator, ir.IntegerType):
            return arith.addi(arith.muli(a, b), c)
        return math.fma(a, b, c)

    def plus(self, a: ir.Value, b: ir.Value) -> ir.Value:
        if isinstance(self.accumulator, ir.IntegerType):
            return arith.addi(a, b)
        return arith.addf(a, b)

    def _load_symbols(self) -> dict[int, ir.Value]:
        symbols = self.problem.symbols
        return {
            symbol: arith.index_castui(ir.IndexType.get(), self._constant(n))
            for n, symbol in enumerate(symbols)
        }

    def _constant(self, ordinal: int) -> ir.Value:
        i32 = ir.IntegerType.get_signless(32)
        number = ir.IntegerAttr.get(ir.IndexType.get(), ordinal)
        return hal.interface_constant_load(i32, self.layout, number)

    def _bind(self) -> None:
        """Binds tensors, and takes scalars from the constants after the symbols."""
        problem, op = self.problem, self.op
        self._next_binding = 0
        self._next_constant = len(problem.symbols)
        self.lhs = self._elements(problem.lhs, op.lhs)
        self.rhs = self._elements(problem.rhs, op.rhs)
        self.extras = Elements(
            tuple(
                self._input(o, v.type, 1)
                for o, v in zip(problem.extras, op.extras, strict=True)
            ),
            self.sizes,
            width=1,
            unit=None,
        )
        self.results = tuple(
            self._input(o, r.type, 1)
            for o, r in zip(problem.results, op.results, strict=True)
        )

    def _elements(
        self, operands: tuple[Operand, ...], values: list[ir.Value]
    ) -> Elements:
        unit = self.problem.unit_axis(operands)
        width = 4 if self.problem.is_vectorizable(operands, 4) else 1
        inputs = tuple(
            self._input(o, v.type, input_width(self.problem, o, width, unit))
            for o, v in zip(operands, values, strict=True)
        )
        return Elements(inputs, self.sizes, width, unit)

    def _input(self, operand: Operand, type_: ir.Type, width: int) -> Input:
        if operand.is_scalar:
            word = self._constant(self._next_constant)
            self._next_constant += 1
            return Input(operand, unpack_scalar(word, type_))
        element = ir.RankedTensorType(type_).element_type
        return Input(operand, self._buffer(operand, element, width))

    def _buffer(self, operand: Operand, element: ir.Type, width: int) -> Buffer:
        length = operand.length
        type_ = storage_buffer_type(length.static, element, width)
        dims = []
        if length.static is None:
            dims = [self.value(self.div(self.size(length), width))]
        memref = hal.interface_binding_subspan(
            type_, self.layout, self._next_binding, dims, alignment=64
        )
        self._next_binding += 1
        return Buffer(memref, width, self)
