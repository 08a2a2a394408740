# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raise matrix products, and what folds into them, to gemm.matmul."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir

from iree_gemm.errors import located
from iree_gemm.options import Options

from .raising.consumers import fastest_dim, fold_consumers
from .raising.contraction import Contraction, M, N, without_zero_init
from .raising.materialize import materialize
from .raising.producers import fold_producers
from .raising.roots import NotRaised, match_product

LEFT = "gemm.left"


@dataclass(frozen=True)
class RaiseContractionsPass:
    """Raise matrix products, and what folds into them, to gemm.matmul.

    Afterwards no structured operation is a product; those that cannot be raised
    carry the reason in the attribute `gemm.left`.
    """

    options: Options

    name: ClassVar[str] = "gemm-raise-contractions"

    def __call__(self, module: ir.Operation) -> None:
        for op in _structured_ops(module):
            with located(op):
                _raise(op)


def _structured_ops(module: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("gemm.matmul", "hal.executable.source"):
            return ir.WalkResult.SKIP
        if op.name.startswith("linalg."):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _raise(op: ir.Operation) -> None:
    matched = match_product(op)
    if matched is None:
        return
    if isinstance(matched, NotRaised):
        op.attributes[LEFT] = ir.StringAttr.get(matched.reason)
        return
    with op.location:
        materialize(_folded(matched))


def _folded(contraction: Contraction) -> Contraction:
    """All folds, in the order in which they enable one another."""
    contraction = without_zero_init(fold_producers(contraction))
    contraction = fold_producers(fold_consumers(contraction))
    contraction = contraction.without_unit_dims()
    return contraction.swapped() if _is_transposed(contraction) else contraction


def _is_transposed(contraction: Contraction) -> bool:
    """Whether the transposed product has the better form: one row, or rows stored."""
    rows, columns = contraction.dims_of_kind(M), contraction.dims_of_kind(N)
    if not columns:
        return bool(rows)
    fastest = {fastest_dim(output.access) for output in contraction.outputs}
    return bool(rows) and fastest <= rows
