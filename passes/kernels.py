# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The executables of a module: each kernel is emitted once, however often used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from iree.compiler import ir

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Problem

from .devices import executable_target
from .emit.arithmetic import Arithmetic
from .emit.executable import Body, Shell, create_executable, create_variants
from .emit.kernel import Interface, Kernel
from .emit.signature import signature
from .strategies.strategy import Grid, Stage, Strategy


@dataclass(frozen=True)
class Plan:
    """A product with its recorded strategy and configuration."""

    op: MatmulOp
    problem: Problem
    strategy: Strategy
    config: Any

    @property
    def planes(self) -> int:
        return self.strategy.planes(self.config)


@dataclass
class Kernels:
    """Kernels by what makes them different."""

    module: ir.Operation
    made: dict[Any, list[str]] = field(default_factory=dict)

    def entries(self, plan: Plan, stage: Stage) -> list[str]:
        """The kernels for one stage of a plan, made where there are none yet."""
        blocks = (plan.op.lhs_block, plan.op.rhs_block, plan.op.epilogue_block)
        key = (
            plan.strategy.name,
            plan.config,
            plan.problem,
            plan.op.is_wide,
            stage.name,
            *map(signature, blocks),
        )
        if key not in self.made:
            name = self._unused(_base_name(plan, stage))
            self.made[key] = _create(self.module, plan, stage, name)
        return self.made[key]

    def _unused(self, base: str) -> str:
        taken = {
            ir.StringAttr(op.attributes["sym_name"]).value
            for op in self.module.regions[0].blocks[0].operations
            if "sym_name" in op.attributes
        }
        names = (f"{base}_{n}" for n in range(len(taken) + 1))
        return next(name for name in names if name not in taken)


def _create(module: ir.Operation, plan: Plan, stage: Stage, name: str) -> list[str]:
    """The executable of a stage; with a fallback, one of several variants."""
    shell = _shell(plan, stage, name)
    bodies = [_body(plan, shell, s) for s in stage.alternatives()]
    if len(bodies) > 1:
        return create_variants(module, shell, bodies, executable_target(module))
    return create_executable(module, shell, *bodies)


def _shell(plan: Plan, stage: Stage, name: str) -> Shell:
    groups = [g for g in stage.reads if g != "scratch"]
    inputs = [operand for g in groups for operand in getattr(plan.problem, g)]
    scalars = sum(operand.is_scalar for operand in inputs)
    read = len(plan.problem.lookups) + len(inputs) - scalars
    read += "scratch" in stage.reads
    written = 1 if stage.writes == "scratch" else len(plan.problem.results)
    return Shell(
        name,
        len(plan.problem.symbols) + scalars,
        (False,) * read + (True,) * written,
    )


def _body(plan: Plan, shell: Shell, stage: Stage) -> Body:
    interface = Interface(
        shell.layout,
        stage.reads,
        stage.writes,
        plan.planes,
        stage.threads,
        plan.problem.output_width(stage.width),
        plan.op.is_wide,
        stage.packed,
    )

    def count(workload: Sequence[ir.Value]) -> list[ir.Value]:
        host = Arithmetic()
        return [host.value(c) for c in stage.workgroups(Grid(host, *workload))]

    return Body(
        "matrix_units" if stage.needs else "portable",
        stage.threads,
        stage.subgroup_size,
        stage.needs,
        count,
        lambda: stage.emit(Kernel(plan.op, plan.problem, interface)),
    )


def _base_name(plan: Plan, stage: Stage) -> str:
    """For profiles: `gemm_tile_128x768x64_f32_nn`, D for a dynamic size."""
    problem = plan.problem
    sizes = [problem.m, problem.n, problem.k]
    if problem.axes_of("batch"):
        sizes.insert(0, problem.batch)
    shape = "x".join("D" if s.static is None else str(s.static) for s in sizes)
    types = sorted({problem.lhs_type, problem.rhs_type, problem.accumulator})
    parts = [plan.strategy.name.replace("-", "_"), stage.name, shape, *types]
    return "_".join(["gemm", *filter(None, parts), problem.layout().lower()])
