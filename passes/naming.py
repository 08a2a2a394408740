# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readable names of what was folded into a product, for reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import ZERO, Operand, Problem

from .activations import activations_of

_CASTS = frozenset(
    f"arith.{name}"
    for name in (
        "truncf",
        "extf",
        "sitofp",
        "uitofp",
        "fptosi",
        "fptoui",
        "trunci",
        "extsi",
        "extui",
    )
)
_SCALING = ("arith.mulf", "arith.divf", "arith.muli")
_ADDING = ("arith.addf", "arith.subf", "arith.addi", "arith.subi")


def folded_names(op: MatmulOp, problem: Problem) -> list[str]:
    """What surrounds the product, in the order in which it happens."""
    names = [
        f"decoded {side}"
        for side, block in (("lhs", op.lhs_block), ("rhs", op.rhs_block))
        if len(block.operations) > 1
    ]
    if any(_is_shared(problem, o) for o in problem.rhs):
        names.append("shared rhs")
    return names + list(dict.fromkeys(_Epilogue(op, problem).names()))


def _is_constant(value: ir.Value) -> bool:
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.name == "arith.constant"


def _is_shared(problem: Problem, operand: Operand) -> bool:
    axes = problem.axes_of("batch")
    return bool(axes) and all(operand.strides[a] == ZERO for a in axes)


@dataclass(frozen=True)
class _Epilogue:
    """Names the operations of the epilogue; one name for a known activation."""

    op: MatmulOp
    problem: Problem

    def names(self) -> Iterator[str]:
        block = self.op.epilogue_block
        extras = list(block.arguments)[1:]
        origin = dict(zip(extras, self.problem.extras, strict=True))
        chain = [view.operation for view in block.operations][:-1]
        members = {
            op: activation.name
            for activation in activations_of(block.arguments[0], chain)
            for op in activation.ops
        }
        moving = {block.arguments[0]}
        for body in chain:
            read = next((origin[v] for v in body.operands if v in origin), None)
            if moving.isdisjoint(body.operands):
                if read is not None:
                    origin[body.result] = read
                continue
            moving.add(body.result)
            yield members.get(body) or self._name(body, read)

    def _name(self, op: ir.Operation, read: Operand | None) -> str:
        if read is None:
            if op.name in _CASTS:
                return "cast"
            if op.name in _ADDING and any(map(_is_constant, op.operands)):
                return "scalar bias"
            return "scale" if op.name in _SCALING else op.name.partition(".")[2]
        extent = self._extent(read)
        if op.name in _ADDING:
            return "residual" if extent == "matrix" else f"{extent} bias"
        if op.name in _SCALING:
            return f"{extent} scale"
        return "mask" if op.name == "arith.select" else op.name.partition(".")[2]

    def _extent(self, operand: Operand) -> str:
        """What an extra varies over: scalar, row (along n), column, matrix."""
        axes = enumerate(operand.strides)
        moves = {self.problem.axes[n].kind for n, s in axes if s != ZERO} - {"batch"}
        names = {frozenset(): "scalar", frozenset("n"): "row", frozenset("m"): "column"}
        return names.get(frozenset(moves), "matrix")
