# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of a product: workgroup counts, constants, the dispatches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import arith, tensor

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Size

from .describe import result_shapes
from .emit.arithmetic import Arithmetic, Index
from .emit.bindings import scratch_length
from .emit.executable import Call, create_dispatch
from .emit.operands import Sizes, pack_scalar
from .kernels import Kernels, Plan
from .strategies.strategy import Stage


@dataclass(frozen=True)
class RowRange:
    """The products that a plan is for: more rows than `over`, at most `limit`."""

    over: int | None = None
    limit: int | None = None


def call_by_rows(
    plans: Sequence[tuple[int | None, Plan]], kernels: Kernels
) -> list[ir.Value]:
    """Dispatches every plan; the rows known at run time leave one of them workgroups.

    A branch would end the command buffer at each product. Without workgroups a
    dispatch costs under 2 us (H200, chained, 2026-11-30), and all write the same C.
    """
    results: list[ir.Value] = []
    over: int | None = None
    for limit, plan in plans:
        host = _Host.of(plan, RowRange(over, limit))
        results = host.call(kernels, results)
        over = limit
    return results


@dataclass(frozen=True)
class _Host:
    plan: Plan
    rows: RowRange
    sizes: Sizes
    arithmetic: Arithmetic
    workload: Sequence[ir.Value]

    @staticmethod
    def of(plan: Plan, rows: RowRange) -> _Host:
        host = Arithmetic()
        op, problem = plan.op, plan.problem
        dynamic = [n for n, bound in enumerate(op.bounds) if bound is None]
        sizes = Sizes(host, dict(zip(dynamic, op.sizes, strict=True)))
        m, n, batch = map(sizes.value, (problem.m, problem.n, problem.batch))
        workload = list(map(host.value, (_active(host, m, rows), n, batch)))
        return _Host(plan, rows, sizes, host, workload)

    def call(self, kernels: Kernels, results: list[ir.Value]) -> list[ir.Value]:
        """Dispatches the stages into `results`, or new ones where there are none."""
        written: list[ir.Value] = []
        for stage in self.plan.strategy.stages(self.plan.config):
            entries = kernels.entries(self.plan, stage)
            into = [] if stage.writes == "scratch" else results
            written = self._dispatch(entries, stage, written, into)
        return written

    def _dispatch(
        self,
        entries: list[str],
        stage: Stage,
        scratch: list[ir.Value],
        into: list[ir.Value],
    ) -> list[ir.Value]:
        """One stage; `scratch` is what the stage before it wrote."""
        groups = ("lookups", *stage.reads)
        inputs = [
            value
            for group in groups
            for value in (
                scratch if group == "scratch" else getattr(self.plan.op, group)
            )
        ]
        tensors = [v for v in inputs if isinstance(v.type, ir.RankedTensorType)]
        scalars = [v for v in inputs if not isinstance(v.type, ir.RankedTensorType)]
        arguments = [*self._symbols(), *map(pack_scalar, scalars), *tensors]
        types, dims = self._written(stage)
        call = Call(
            entries,
            self.workload,
            [*arguments, *into],
            [d for v in [*tensors, *into] for d in _dynamic_dims(v)],
        )
        return create_dispatch(call, types, dims, len(into))

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
            dims = [] if length.static is not None else [self._scratch_length()]
            return [_flat_tensor(length, self.plan.op)], dims
        shapes = result_shapes(self.plan.op)
        dims = self._values([size for shape in shapes for size in shape])
        return [r.type for r in self.plan.op.results], dims

    def _scratch_length(self) -> ir.Value:
        """For no more rows than the plan is for, whatever the product has."""
        host, problem = self.arithmetic, self.plan.problem
        m = self.sizes.value(problem.m)
        rows = m if self.rows.limit is None else host.min(m, self.rows.limit)
        row = self.sizes.value(problem.batch * problem.n * Size(self.plan.planes))
        return host.value(host.mul(row, rows))

    def _values(self, sizes: list[Size]) -> list[ir.Value]:
        """The sizes that are known at run time only."""
        value = self.arithmetic.value
        return [value(self.sizes.value(s)) for s in sizes if s.static is None]


def _active(host: Arithmetic, m: Index, rows: RowRange) -> Index:
    """The rows where a plan is taken, and none where another one is."""
    if rows.over is not None:
        m = host.select(host.less(rows.over, m), m, 0)
    if rows.limit is not None:
        m = host.select(host.less(rows.limit, m), 0, m)
    return m


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
