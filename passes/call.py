# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of a product: workgroup counts, constants, the dispatches."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith, tensor

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Size

from .describe import result_shapes
from .emit.arithmetic import Arithmetic
from .emit.bindings import scratch_length
from .emit.executable import create_dispatch
from .emit.operands import Sizes, pack_scalar
from .kernels import Kernels, Plan
from .strategies.strategy import Grid, Stage


def call(plan: Plan, kernels: Kernels) -> list[ir.Value]:
    """Dispatches a plan's stages at the insertion point; returns its results."""
    host = _Host.of(plan)
    written: list[ir.Value] = []
    for stage in plan.strategy.stages(plan.config):
        written = host.dispatch(kernels.name_of(plan, stage), stage, written)
    return written


@dataclass(frozen=True)
class _Host:
    plan: Plan
    sizes: Sizes
    grid: Grid

    @staticmethod
    def of(plan: Plan) -> _Host:
        host = Arithmetic()
        op, problem = plan.op, plan.problem
        dynamic = [n for n, bound in enumerate(op.bounds) if bound is None]
        sizes = Sizes(host, dict(zip(dynamic, op.sizes, strict=True)))
        m, n, batch = map(sizes.value, (problem.m, problem.n, problem.batch))
        return _Host(plan, sizes, Grid(host, m, n, batch))

    def dispatch(
        self, name: str, stage: Stage, scratch: list[ir.Value]
    ) -> list[ir.Value]:
        """One stage; `scratch` is what the stage before it wrote."""
        inputs = [
            value
            for group in stage.reads
            for value in (
                scratch if group == "scratch" else getattr(self.plan.op, group)
            )
        ]
        tensors = [v for v in inputs if isinstance(v.type, ir.RankedTensorType)]
        scalars = [v for v in inputs if not isinstance(v.type, ir.RankedTensorType)]
        types, dims = self._written(stage)
        value = self.grid.arithmetic.value
        return create_dispatch(
            name,
            [value(count) for count in stage.workgroups(self.grid)],
            [*self._symbols(), *map(pack_scalar, scalars), *tensors],
            types,
            ([d for v in tensors for d in _dynamic_dims(v)], dims),
        )

    def _symbols(self) -> list[ir.Value]:
        i32 = ir.IntegerType.get_signless(32)
        return [
            arith.index_cast(i32, self.sizes.symbols[symbol])
            for symbol in self.plan.problem.symbols
        ]

    def _written(self, stage: Stage) -> tuple[list[ir.Type], list[ir.Value]]:
        """The types of what a stage writes, and their dynamic sizes."""
        if stage.writes == "scratch":
            length = scratch_length(self.plan.problem, self.plan.planes)
            return [_flat_tensor(length, self.plan.op)], self._values([length])
        shapes = result_shapes(self.plan.op)
        dims = self._values([size for shape in shapes for size in shape])
        return [r.type for r in self.plan.op.results], dims

    def _values(self, sizes: list[Size]) -> list[ir.Value]:
        """The sizes that are known at run time only."""
        value = self.grid.arithmetic.value
        return [value(self.sizes.value(s)) for s in sizes if s.static is None]


def _flat_tensor(length: Size, op: MatmulOp) -> ir.Type:
    count = length.static
    dynamic = ir.ShapedType.get_dynamic_size()
    element = op.epilogue_block.arguments[0].type
    return ir.RankedTensorType.get([dynamic if count is None else count], element)


def _dynamic_dims(value: ir.Value) -> list[ir.Value]:
    type_ = ir.RankedTensorType(value.type)
    return [
        tensor.dim(value, arith.constant(ir.IndexType.get(), axis))
        for axis in range(type_.rank)
        if type_.is_dynamic_dim(axis)
    ]
