# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every strategy that can do a product, each forced, at IREE's preprocessing phase."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp, matmuls
from iree_gemm.options import Options
from iree_gemm.passes import driver
from iree_gemm.passes.describe import problem_of
from iree_gemm.passes.devices import target_of_module
from iree_gemm.passes.registry import PASSES
from iree_gemm.passes.strategies.strategy import Reject, Strategy
from iree_gemm.passes.strategies.table import STRATEGIES, select


@dataclass(frozen=True)
class Variant:
    """A product lowered by one strategy; `is_auto` where that is the usual choice."""

    strategy: str
    config: dict[str, Any]
    is_auto: bool
    text: str


class NotTaken(Exception):
    """Why no strategy takes the product."""


def variants(text: str) -> list[Variant]:
    """The variants of a module with one product and a device on it."""
    with _parsed(text) as module:
        _run("gemm-raise-contractions", module)
        op = _only_product(module)
        problem, target = problem_of(op), target_of_module(module.operation)
        if isinstance(target, Reject):
            raise NotTaken(target.reason)
        choice = select(problem, target, Options())
        if isinstance(choice, Reject):
            raise NotTaken(choice.reason)
        configs = [(s, s.configure(problem, target)) for s in STRATEGIES]
        return [
            Variant(
                strategy.name,
                asdict(config),
                strategy.name == choice.strategy.name,
                _lowered(module, strategy, config),
            )
            for strategy, config in configs
            if not isinstance(config, Reject)
        ]


def chosen(text: str) -> str:
    """A module with any number of products, each lowered as the plugin would."""
    with _parsed(text) as module:
        for name in PASSES:
            _run(name, module)
        return str(module)


@contextmanager
def _parsed(text: str) -> Iterator[ir.Module]:
    """A module whose diagnostics become NotTaken."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        messages: list[str] = []
        handler = context.attach_diagnostic_handler(partial(_keep, messages))
        try:
            yield ir.Module.parse(text)
        except _Failed as error:
            raise NotTaken((messages or [str(error)])[0].partition("\n")[0]) from None
        finally:
            handler.detach()


def _keep(messages: list[str], diagnostic: ir.Diagnostic) -> bool:
    messages.append(diagnostic.message)
    return True


class _Failed(Exception):
    """A pass that failed, its diagnostic kept."""


def _only_product(module: ir.Module) -> MatmulOp:
    found = matmuls(module.operation)
    if len(found) != 1:
        raise NotTaken(f"{len(found)} products were recognized, expected one")
    return found[0]


def _lowered(module: ir.Module, strategy: Strategy, config: Any) -> str:
    copy = ir.Module.parse(str(module))
    _only_product(copy).choose(strategy.name, config)
    names = list(PASSES)
    for name in names[names.index("gemm-lower-kernels") :]:
        _run(name, copy)
    return str(copy)


def _run(name: str, module: ir.Module) -> None:
    if not driver.run_pass(name, module.operation, Options()):
        raise _Failed(f"{name} failed")
