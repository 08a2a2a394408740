# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raise matrix products, and what folds into them, to gemm.matmul."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from iree.compiler import ir

from iree_gemm.dialects.gemm import LEFT, OPTIONS, STOP, MatmulOp
from iree_gemm.errors import GemmError, located
from iree_gemm.options import Options

from .raising.consumers import Folded, fastest_dim, fold_consumers
from .raising.contraction import Contraction, M, N
from .raising.materialize import materialize
from .raising.producers import awaited_slice, fold_producers
from .raising.roots import NotRaised, match_product
from .raising.simplify import simplified, without_exact_casts
from .raising.storage import as_stored
from .raising.types import unsupported_storage, unsupported_type

# What is dispatched already is not ours.
_KERNELS = ("flow.dispatch", "hal.executable", "flow.executable", "stream.executable")


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
        if op.name == MatmulOp.OPERATION_NAME or op.name.startswith(_KERNELS):
            return ir.WalkResult.SKIP
        if op.name.startswith("linalg."):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _raise(op: ir.Operation) -> None:
    matched = match_product(op)
    result = _folded(matched) if isinstance(matched, Contraction) else matched
    if not isinstance(result, Folded):
        _leave(op, result)
        return
    with op.location:
        raised = materialize(result.contraction)
    if result.stop:
        raised.attributes[STOP] = ir.StringAttr.get(result.stop)


def _leave(op: ir.Operation, why: NotRaised | None) -> None:
    """Records the reason. Raises GemmError where a strategy was asked for."""
    if OPTIONS in op.attributes:
        asked = op.attributes[OPTIONS]
        if why is None:
            message = f"{OPTIONS} on {op.name}, which is no matrix product"
            raise GemmError(message, op.location)
        if isinstance(asked, ir.DictAttr) and "strategy" in asked:
            message = f"{OPTIONS} on a product that is left to IREE: {why.reason}"
            raise GemmError(message, op.location)
    if why is not None:
        op.attributes[LEFT] = ir.StringAttr.get(why.reason)


def _folded(contraction: Contraction) -> Folded | NotRaised:
    """All folds, in the order in which they enable one another."""
    folded = fold_consumers(fold_producers(contraction))
    contraction = simplified(as_stored(fold_producers(folded.contraction)))
    if reason := _unsupported(contraction):
        return NotRaised(reason)
    contraction = without_exact_casts(contraction).without_unit_dims()
    if _is_transposed(contraction):
        contraction = contraction.swapped()
    return replace(folded, contraction=contraction)


def _unsupported(contraction: Contraction) -> str | None:
    types = unsupported_type(contraction.expressions)
    return types or unsupported_storage(contraction) or awaited_slice(contraction)


def _is_transposed(contraction: Contraction) -> bool:
    """Whether the transposed product has the better form: one row, or rows stored."""
    rows, columns = contraction.dims_of_kind(M), contraction.dims_of_kind(N)
    if not columns:
        return bool(rows)
    fastest = {fastest_dim(contraction, o.access) for o in contraction.outputs}
    return bool(rows) and fastest <= rows
