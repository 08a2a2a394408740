# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of a product: workgroup counts, constants, the dispatch."""

from __future__ import annotations

from iree.compiler import ir
from iree.compiler.dialects import arith, tensor

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.problem import Problem

from .describe import result_shapes
from .emit.arithmetic import Arithmetic
from .emit.executable import create_dispatch
from .emit.operands import Sizes, pack_scalar


def call(
    op: MatmulOp, problem: Problem, name: str, tiles: tuple[int, int]
) -> list[ir.Value]:
    """Dispatches the kernel `name` for a product at the insertion point."""
    host = Arithmetic()
    dynamic = [n for n, bound in enumerate(op.bounds) if bound is None]
    symbols = dict(zip(dynamic, op.sizes, strict=True))
    sizes = Sizes(host, symbols)
    tile_m, tile_n = tiles
    workgroups = [
        host.value(host.ceildiv(sizes.value(problem.n), tile_n)),
        host.value(host.ceildiv(sizes.value(problem.m), tile_m)),
        host.value(sizes.value(problem.batch)),
    ]
    inputs = [*op.lhs, *op.rhs, *op.extras]
    tensors = [v for v in inputs if isinstance(v.type, ir.RankedTensorType)]
    scalars = [v for v in inputs if not isinstance(v.type, ir.RankedTensorType)]
    i32 = ir.IntegerType.get_signless(32)
    constants = [arith.index_cast(i32, symbols[s]) for s in problem.symbols]
    constants += [pack_scalar(v) for v in scalars]
    result_dims = [
        host.value(sizes.value(size))
        for shape in result_shapes(op)
        for size in shape
        if size.static is None
    ]
    return create_dispatch(
        name,
        workgroups,
        [*constants, *tensors],
        [r.type for r in op.results],
        ([d for v in tensors for d in _dynamic_dims(v)], result_dims),
    )


def _dynamic_dims(value: ir.Value) -> list[ir.Value]:
    type_ = ir.RankedTensorType(value.type)
    return [
        tensor.dim(value, arith.constant(ir.IndexType.get(), axis))
        for axis in range(type_.rank)
        if type_.is_dynamic_dim(axis)
    ]
