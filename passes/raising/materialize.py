# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a contraction into the IR as one `gemm.matmul`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iree.compiler import ir
from iree.compiler.dialects import arith, tensor

from iree_gemm.dialects.gemm import MatmulOp, MatmulSpec, yield_
from iree_gemm.dialects.linear import Access, map_of_access

from .bounds import upper_bound
from .contraction import Contraction, DynamicSize, HostIndex, LookupIndex, Size
from .expression import Accumulator, Expression, Load, build, loads_of, walk
from .lookups import load_of_lookup
from .storage import stored_value


def materialize(contraction: Contraction) -> MatmulOp:
    """Replaces the consumed operations; they move into the `original` region."""
    last = contraction.consumed[-1]
    loc = contraction.root.location
    with ir.InsertionPoint(last), loc:
        op = _create(contraction, loc)
        for name, value in _discardable(contraction.root).items():
            op.attributes[name] = value
    for output, result in zip(contraction.outputs, op.results, strict=True):
        output.value.replace_all_uses_except(result, list(contraction.consumed))
    block = op.regions[3].blocks.append()
    for consumed in contraction.consumed:
        block.append(consumed)
    with ir.InsertionPoint(block):
        yield_([o.value for o in contraction.outputs], loc)
    return op


def _create(contraction: Contraction, loc: ir.Location) -> MatmulOp:
    inputs = {
        "lhs": _inputs((contraction.lhs,)),
        "rhs": _inputs((contraction.rhs,)),
        "extras": _inputs(contraction.elements),
        "lookups": [*_lookups(contraction)],
    }
    accesses = [load.access for group in inputs.values() for load in group]
    accesses += [o.access for o in contraction.outputs]
    sizes = [d.size for d in contraction.dims]
    dynamic = [s for s in sizes if isinstance(s, DynamicSize | HostIndex)]
    spec = MatmulSpec(
        iterators=[d.kind for d in contraction.dims],
        bounds=list(map(_bound, sizes)),
        operands={
            **{
                n: [stored_value(load) for load in group] for n, group in inputs.items()
            },
            "sizes": list(map(_size_value, dynamic)),
        },
        maps=[map_of_access(a, len(contraction.dims)) for a in accesses],
        results=[o.value.type for o in contraction.outputs],
    )
    op = MatmulOp.build(spec, loc)
    op.promise([upper_bound(d.size) for d in contraction.dims])
    _fill(op.regions[0], (contraction.lhs,), inputs["lhs"], [])
    _fill(op.regions[1], (contraction.rhs,), inputs["rhs"], [])
    accumulator = accumulator_type(contraction.elements)
    _fill(op.regions[2], contraction.elements, inputs["extras"], [accumulator])
    return op


def accumulator_type(elements: Sequence[Expression]) -> ir.Type:
    return next(n.type for n in walk(elements) if isinstance(n, Accumulator))


def _inputs(nodes: Sequence[Expression]) -> list[Load]:
    """One load for all that read the same element of the same tensor."""
    return list({_key(load): load for load in loads_of(nodes)}.values())


def _key(load: Load) -> tuple[ir.Value | ir.DenseElementsAttr, Access, str]:
    return load.value, load.access, str(load.type)


def _fill(
    region: ir.Region,
    nodes: Sequence[Expression],
    inputs: list[Load],
    leading: list[ir.Type],
) -> None:
    loc = ir.Location.current
    types = [*leading, *(load.type for load in inputs)]
    block = region.blocks.append(*types, arg_locs=[loc] * len(types))
    arguments = list(block.arguments)
    keys = map(_key, inputs)
    loaded = dict(zip(keys, arguments[len(leading) :], strict=True))

    def leaf(node: Load | Accumulator) -> ir.Value:
        return loaded[_key(node)] if isinstance(node, Load) else arguments[0]

    with ir.InsertionPoint(block):
        yield_(build(nodes, leaf), loc)


def _lookups(contraction: Contraction) -> Iterator[Load]:
    for dim in contraction.dims:
        if isinstance(dim.size, LookupIndex):
            yield load_of_lookup(dim.size.expression)


def _bound(size: Size) -> int:
    if isinstance(size, DynamicSize | HostIndex):
        return ir.ShapedType.get_dynamic_size()
    return 1 if isinstance(size, LookupIndex) else size


def _size_value(size: DynamicSize | HostIndex) -> ir.Value:
    if isinstance(size, HostIndex):
        return size.value
    axis = arith.constant(ir.IndexType.get(), size.axis)
    value = tensor.dim(size.value, axis)
    if size.divisor == 1:
        return value
    return arith.divui(value, arith.constant(ir.IndexType.get(), size.divisor))


def _discardable(op: ir.Operation) -> dict[str, ir.Attribute]:
    return {n: op.attributes[n] for n in op.attributes if n.startswith("gemm.")}
