# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readable names of what was folded into a product, for reports."""

from __future__ import annotations

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import ZERO, Operand, Problem

_PLAIN = {
    "math.tanh": "tanh",
    "arith.truncf": "cast",
    "arith.extf": "cast",
    "arith.sitofp": "cast",
    "arith.fptosi": "cast",
    "arith.trunci": "cast",
}
_SCALING = ("arith.mulf", "arith.divf", "arith.muli")
_ADDING = ("arith.addf", "arith.subf", "arith.addi", "arith.subi")
_GELU_TANH_CUBIC = 0.044715


def folded_names(op: MatmulOp, problem: Problem) -> list[str]:
    """What surrounds the product, in the order in which it happens."""
    names = [
        f"decoded {side}"
        for side, block in (("lhs", op.lhs_block), ("rhs", op.rhs_block))
        if len(block.operations) > 1
    ]
    if any(_is_shared(problem, o) for o in problem.rhs):
        names.append("shared rhs")
    return names + _epilogue_names(op, problem)


def _is_shared(problem: Problem, operand: Operand) -> bool:
    axes = problem.axes_of("batch")
    return bool(axes) and all(operand.strides[a] == ZERO for a in axes)


def _epilogue_names(op: MatmulOp, problem: Problem) -> list[str]:
    block = op.epilogue_block
    extras = dict(zip(list(block.arguments)[1:], problem.extras, strict=True))
    ops = [view.operation for view in block.operations][:-1]
    activation = _activation(ops)
    names: list[str] = []
    for body in ops:
        read = [extras[v] for v in body.operands if v in extras]
        name = _name_of(body, read, problem, activation is not None)
        if name is not None and name not in names:
            names.append(name)
    return names + ([activation] if activation else [])


def _name_of(
    op: ir.Operation, read: list[Operand], problem: Problem, is_activated: bool
) -> str | None:
    if read:
        kind = _extent(problem, read[0])
        if op.name in _ADDING:
            return "residual" if kind == "matrix" else f"{kind} bias"
        if op.name in _SCALING:
            return f"{kind} scale"
        return op.name
    if op.name in _PLAIN and not is_activated:
        return _PLAIN[op.name]
    if is_activated or op.name == "arith.constant":
        return None
    return "scale" if op.name in _SCALING else op.name


def _extent(problem: Problem, operand: Operand) -> str:
    """What an extra varies over: scalar, row (along n), column, matrix."""
    moves = {
        problem.axes[n].kind for n, s in enumerate(operand.strides) if s != ZERO
    } - {"batch"}
    names = {frozenset(): "scalar", frozenset("n"): "row", frozenset("m"): "column"}
    return names.get(frozenset(moves), "matrix")


def _activation(ops: list[ir.Operation]) -> str | None:
    names = {op.name for op in ops}
    constants = _constants(ops)
    if "math.erf" in names:
        return "gelu (erf)"
    if "math.tanh" in names and any(
        abs(c - _GELU_TANH_CUBIC) < 1e-5 for c in constants
    ):
        return "gelu (tanh)"
    if "math.exp" in names and "arith.divf" in names:
        return "silu" if _multiplies_by_sigmoid(ops) else "sigmoid"
    if 0.0 in constants and names & {"arith.maximumf", "arith.maxnumf"}:
        return "clamp" if names & {"arith.minimumf", "arith.minnumf"} else "relu"
    if 0.0 in constants and {"arith.cmpf", "arith.select"} <= names:
        return "relu"
    return None


def _constants(ops: list[ir.Operation]) -> list[float]:
    return [
        float(op.attributes["value"].value)
        for op in ops
        if op.name == "arith.constant"
    ]


def _multiplies_by_sigmoid(ops: list[ir.Operation]) -> bool:
    """Whether the quotient is x / (1 + exp(-x)), or is multiplied afterwards."""
    quotient = next(op for op in ops if op.name == "arith.divf")
    numerator = quotient.operands[0].owner
    if isinstance(numerator, ir.Block) or numerator.name != "arith.constant":
        return True
    return any(use.owner.name == "arith.mulf" for use in quotient.result.uses)
