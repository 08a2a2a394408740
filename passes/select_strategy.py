# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choose a strategy for each gemm.matmul and record it, or why IREE keeps it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import ClassVar

from iree.compiler import ir

from iree_gemm import metal_kernels
from iree_gemm.dialects.gemm import Case, MatmulOp, matmuls
from iree_gemm.errors import GemmError, UsageError, located
from iree_gemm.options import Options
from iree_gemm.report import write_report
from iree_gemm.target import Target

from .constants import all_constant
from .describe import NotDescribable, problem_of
from .devices import target_of_module
from .report import rows_of
from .strategies.strategy import Reject
from .strategies.table import needs_wide_elements, select_by_rows

OPTIONS = "gemm.options"


@dataclass(frozen=True)
class SelectStrategyPass:
    """Choose a strategy for each gemm.matmul and record it, or why IREE keeps it.

    Leaves the computation unchanged: the lowering reads the record.
    """

    options: Options

    name: ClassVar[str] = "gemm-select-strategy"

    def __call__(self, module: ir.Operation) -> None:
        target, symbols = target_of_module(module), ir.SymbolTable(module)
        for op in matmuls(module):
            with located(op):
                if problems := op.problems():
                    raise GemmError("; ".join(problems), op.location)
                where = _constant_reject(op, symbols) or target
                _select(op, where, _options_of(op, self.options))
        _mention_second_run(module, target, self.options)
        if self.options.report is not None:
            _write_report(module, self.options.report)


def _constant_reject(op: MatmulOp, symbols: ir.SymbolTable) -> Reject | None:
    if all_constant(op.operands, symbols):
        return Reject("constant: IREE evaluates it at compile time")
    return None


def _select(op: MatmulOp, target: Target | Reject, options: Options) -> None:
    if isinstance(target, Reject):
        op.leave(target.reason)
        return
    try:
        problem = problem_of(op)
    except NotDescribable as error:
        op.leave(str(error))
        return
    choice = select_by_rows(problem, target, options, op.most_rows)
    if not isinstance(choice, Reject):
        few, rest = choice
        cases = [Case(n, s.strategy.name, s.config) for n, s in few]
        op.choose(rest.strategy.name, rest.config, cases)
        op.pass_over(rest.rejected)
        if needs_wide_elements(problem, target):
            op.attributes["wide"] = ir.UnitAttr.get()
    elif options.strategy in ("auto", "off"):
        op.leave(choice.reason)
    else:
        raise GemmError(
            f"strategy={options.strategy} cannot do {problem.describe()}: "
            f"{choice.reason}",
            op.location,
        )


def _mention_second_run(
    module: ir.Operation, target: Target | Reject, options: Options
) -> None:
    """Says once what a single run, as of the stock tool, does without on Metal."""
    if isinstance(target, Reject) or target.backend != "metal":
        return
    if metal_kernels.are_welcome():
        return
    with metal_kernels.inspecting():
        missed = [op for op in matmuls(module) if _is_missed(op, target, options)]
    if missed:
        _remark(
            "products do without simdgroup matrices, which need a second run of the "
            "compiler: `iree-gemm compile` does both",
            missed[0].location,
        )


def _remark(message: str, location: ir.Location) -> None:
    """A remark in the compiler's form; the bindings emit errors only."""
    found = re.search(r'"([^"]+)":(\d+):(\d+)', str(location))
    where = ":".join(found.groups()) if found else "unknown"
    print(f"{where}: remark: {message}", file=sys.stderr)


def _is_missed(op: MatmulOp, target: Target, options: Options) -> bool:
    """Whether other runs would give a product the kernel that this one may not."""
    if op.strategy == "iree":
        return False
    options = _options_of(op, options)
    choice = select_by_rows(problem_of(op), target, options, op.most_rows)
    return not isinstance(choice, Reject) and choice[1].strategy.name == "simdgroup"


def _write_report(module: ir.Operation, path: str) -> None:
    try:
        write_report(rows_of(module), path)
    except UsageError as error:
        raise GemmError(str(error), module.location) from error


def _options_of(op: MatmulOp, defaults: Options) -> Options:
    """The pass's options, with those of the attribute on the operation."""
    if OPTIONS not in op.attributes:
        return defaults
    attribute = op.attributes[OPTIONS]
    if not isinstance(attribute, ir.DictAttr):
        raise GemmError(f"{OPTIONS} is a dictionary of strings", op.location)
    if "report" in attribute:
        raise GemmError(f"{OPTIONS}: report is for whole modules", op.location)
    try:
        return defaults.updated({e.name: _text(e.attr) for e in attribute})
    except UsageError as error:
        raise GemmError(f"{OPTIONS}: {error}", op.location) from error


def _text(attribute: ir.Attribute) -> str:
    if isinstance(attribute, ir.StringAttr):
        return attribute.value
    raise UsageError(f"{attribute} is not a string")
