# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index and element arithmetic that folds what is known at compile time.

An index is a Python int or an SSA value of type index, so static sizes cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from iree.compiler import ir
from iree.compiler.dialects import arith, scf, vector

Index: TypeAlias = "int | ir.Value"


class Arithmetic:
    """Emits at the current insertion point; constants once, at the entry.

    Without an entry block, constants are emitted where they are used.
    """

    def __init__(self, entry: ir.Block | None = None) -> None:
        self._entry = entry
        self._constants: dict[tuple[ir.Type, str], ir.Value] = {}

    def value(self, index: Index) -> ir.Value:
        if not isinstance(index, int):
            return index
        type_ = ir.IndexType.get()
        return self.constant(type_, ir.IntegerAttr.get(type_, index))

    def constant(self, type_: ir.Type, attribute: ir.Attribute) -> ir.Value:
        if self._entry is None:
            return arith.constant(type_, attribute)
        key = (type_, str(attribute))
        if key not in self._constants:
            with ir.InsertionPoint.at_block_begin(self._entry):
                self._constants[key] = arith.constant(type_, attribute)
        return self._constants[key]

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if isinstance(a, int) and a == 0:
            return b
        if isinstance(b, int) and b == 0:
            return a
        return arith.addi(self.value(a), self.value(b))

    def sub(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        if isinstance(b, int) and b == 0:
            return a
        return arith.subi(self.value(a), self.value(b))

    def mul(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        for x, y in ((a, b), (b, a)):
            if isinstance(x, int) and x in (0, 1):
                return y if x else 0
        return arith.muli(self.value(a), self.value(b))

    def div(self, a: Index, b: Index) -> Index:
        if isinstance(b, int) and b == 1:
            return a
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return arith.divui(self.value(a), self.value(b))

    def rem(self, a: Index, b: Index) -> Index:
        if isinstance(b, int) and b == 1:
            return 0
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return arith.remui(self.value(a), self.value(b))

    def ceildiv(self, a: Index, b: int) -> Index:
        return self.div(self.add(a, b - 1), b)

    def min(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return arith.minui(self.value(a), self.value(b))

    def round_down(self, a: Index, multiple: int) -> Index:
        return self.sub(a, self.rem(a, multiple))

    def less(self, a: Index, b: Index) -> ir.Value:
        predicate = arith.CmpIPredicate.ult
        return arith.cmpi(predicate, self.value(a), self.value(b))

    def select(self, condition: ir.Value, a: Index, b: Index) -> ir.Value:
        return arith.select(condition, self.value(a), self.value(b))

    def zero_of(self, type_: ir.Type) -> ir.Value:
        """Zero of a scalar or vector type."""
        element = type_.element_type if isinstance(type_, ir.VectorType) else type_
        zero: ir.Attribute
        if isinstance(element, ir.IntegerType):
            zero = ir.IntegerAttr.get(element, 0)
        else:
            zero = ir.FloatAttr.get(element, 0.0)
        if isinstance(type_, ir.VectorType):
            zero = ir.DenseElementsAttr.get_splat(type_, zero)
        return self.constant(type_, zero)

    def elements(self, value: ir.Value) -> list[ir.Value]:
        """The elements of a vector; a scalar is its own element."""
        if not isinstance(value.type, ir.VectorType):
            return [value]
        (width,) = value.type.shape
        return [vector.extract(value, [], [n]) for n in range(width)]

    def loop(
        self,
        bounds: tuple[Index, Index, int],
        carried: Sequence[ir.Value],
        body: Callable[[ir.Value, list[ir.Value]], Sequence[ir.Value]],
    ) -> list[ir.Value]:
        """`for i in range(*bounds)` with carried values; returns their last ones."""
        lower, upper, step = (self.value(b) for b in bounds)
        loop = scf.ForOp(lower, upper, step, list(carried))
        with ir.InsertionPoint(loop.body):
            scf.yield_(body(loop.induction_variable, list(loop.inner_iter_args)))
        return list(loop.results)

    def if_(
        self,
        conditions: Sequence[ir.Value],
        body: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """Runs the body where all conditions hold; without any, always."""
        if not conditions:
            body()
            return
        branch = scf.IfOp(_all(conditions), has_else=otherwise is not None)
        with ir.InsertionPoint(branch.then_block):
            body()
            scf.yield_([])
        if otherwise is not None:
            with ir.InsertionPoint(branch.else_block):
                otherwise()
                scf.yield_([])

    def either(
        self,
        conditions: Sequence[ir.Value],
        types: Sequence[ir.Type],
        then: Callable[[], Sequence[ir.Value]],
        otherwise: Callable[[], Sequence[ir.Value]],
    ) -> list[ir.Value]:
        """Values of one branch where all conditions hold, and else of the other."""
        if not conditions:
            return list(then())
        branch = scf.IfOp(_all(conditions), types, has_else=True)
        for block, body in ((branch.then_block, then), (branch.else_block, otherwise)):
            with ir.InsertionPoint(block):
                scf.yield_(body())
        return list(branch.results)


def _all(conditions: Sequence[ir.Value]) -> ir.Value:
    condition = conditions[0]
    for other in conditions[1:]:
        condition = arith.andi(condition, other)
    return condition
