# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans, compiles and loads products, many in one module since that is quicker."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from devices import TestTarget
from iree.compiler import ir
from product_text import fused
from products import Product

import iree_gemm
from iree_gemm.dialects.gemm import matmuls
from iree_gemm.options import Options
from iree_gemm.passes.describe import problem_of
from iree_gemm.passes.devices import target_of_module
from iree_gemm.passes.raise_contractions import RaiseContractionsPass
from iree_gemm.passes.strategies.strategy import Reject, Selection, Strategy
from iree_gemm.passes.strategies.table import select_by_rows
from iree_gemm.problem import Problem
from iree_gemm.report import read_report, render_table
from iree_gemm.target import Target
from iree_gemm.targets import assign_device


def plan(
    product: Product, strategy: Strategy, target: TestTarget
) -> Selection | Reject:
    """What becomes of a product when a strategy is asked for by name."""
    options = Options(strategy=strategy.option)
    choice = select_by_rows(problem(product), described(target), options)
    if isinstance(choice, Reject):
        return choice
    _, selection = choice
    if selection.strategy == strategy:
        return selection
    first = selection.strategy.name
    return Reject(selection.rejected.get(strategy.name, f"{first} comes first"))


def all_taken(
    products: Iterable[Product], strategy: Strategy, target: TestTarget
) -> dict[Product, Any]:
    """Those products that a strategy does and their configurations; skips without."""
    choices = {product: plan(product, strategy, target) for product in products}
    taken = {p: c.config for p, c in choices.items() if not isinstance(c, Reject)}
    if not taken:
        pytest.skip(next(iter(choices.values())).reason)
    return taken


@functools.cache
def problem(product: Product) -> Problem:
    """A product as the passes see it."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(fused(product))
        with module.operation.location:
            RaiseContractionsPass(Options())(module.operation)
        (op,) = matmuls(module.operation)
        return problem_of(op)


@functools.cache
def described(target: TestTarget) -> Target:
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse("module {}")
        assign_device(module, target.name)
        found = target_of_module(module.operation)
    assert isinstance(found, Target)
    return found


def build(
    text: str, target: TestTarget, options: Options, expected: Sequence[str]
) -> iree_gemm.api.Program:
    """A loaded program whose products are done by these strategies, in order."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        options = options.replace(report=str(report))
        vmfb = iree_gemm.compile(text, target=target.name, options=options)
        rows = read_report(report)
    taken = [row.strategy.rpartition(" | ")[2] for row in rows]
    assert taken == list(expected), render_table(rows)
    return iree_gemm.load(vmfb)
