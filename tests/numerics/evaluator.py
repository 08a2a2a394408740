# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions over tensors mean, products included, computed with NumPy.

Every structured operation is evaluated over its whole iteration space at once. Sums
assume that the body adds to what it accumulates, which holds for what tests write.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from iree.compiler import ir
from iree.compiler.dialects import linalg
from program_text import DTYPES

from iree_gemm.dialects.gemm import MatmulOp
from iree_gemm.dialects.spelling import LOOKUP, OFFSET

Env = dict[ir.Value, Any]
NO_OFFSETS: Mapping[int, int] = {}


def run_function(function: ir.Operation, arguments: Sequence[np.ndarray]) -> list[Any]:
    """The results of a func.func of one block."""
    block = function.regions[0].blocks[0]
    return _run(block, dict(zip(block.arguments, arguments, strict=True)))


def _run(block: ir.Block, env: Env) -> list[Any]:
    *body, terminator = (view.operation for view in block.operations)
    for op in body:
        values = _evaluate(op, [env[v] for v in op.operands], env)
        env.update(zip(op.results, values, strict=True))
    return [env[v] for v in terminator.operands]


def _evaluate(op: ir.Operation, operands: list[Any], env: Env) -> list[Any]:
    if op.name == "gemm.matmul":
        return matmul(op.opview, operands)
    if op.name in _HANDLERS:
        return [_HANDLERS[op.name](op, operands)]
    if op.name.startswith("linalg."):
        return _structured(op, operands, env)
    return [_scalar(op, operands)]


def _structured(op: ir.Operation, operands: list[Any], env: Env) -> list[Any]:
    maps = [m.value for m in linalg.get_indexing_maps(op)]
    sizes = _sizes(maps, operands)
    n_results = len(op.results)
    out_maps = maps[len(maps) - n_results :]
    written = {e.position for e in out_maps[0].results}
    reduced = tuple(d for d in range(len(sizes)) if d not in written)
    inits = operands[len(operands) - n_results :]
    if reduced:
        operands = [*operands[:-n_results], *(np.zeros_like(i) for i in inits)]
    elements = [_gather(o, m, sizes) for o, m in zip(operands, maps, strict=True)]
    block = op.regions[0].blocks[0]
    values = _run(block, {**env, **dict(zip(block.arguments, elements, strict=True))})
    results = []
    for value, map_, init in zip(values, out_maps, inits, strict=True):
        full = np.broadcast_to(value, sizes).sum(axis=reduced, keepdims=True)
        result = _scatter(full, map_, init, sizes)
        results.append(result + init if reduced else result)
    return results


def matmul(op: MatmulOp, operands: list[Any]) -> list[Any]:
    """The results of a gemm.matmul; its sums are exact before they are rounded."""
    values = dict(zip(op.operands, operands, strict=True))
    groups = [[values[v] for v in group] for group in (op.lhs, op.rhs, op.extras)]
    dynamic = iter([values[v] for v in op.sizes])
    sizes = [int(next(dynamic)) if b is None else b for b in op.bounds]
    offsets = {n: sizes[n] for n, kind in enumerate(op.iterators) if kind == OFFSET}
    sizes = [1 if n in offsets else size for n, size in enumerate(sizes)]
    offsets |= _lookups(op, [values[v] for v in op.lookups])
    maps = iter(op.maps)
    sides = []
    for group, block in zip(groups[:2], (op.lhs_block, op.rhs_block), strict=True):
        elements = [_gather(o, next(maps), sizes, offsets) for o in group]
        (value,) = _run(block, dict(zip(block.arguments, elements, strict=True)))
        sides.append(np.broadcast_to(value, sizes))
    accumulator = op.epilogue_block.arguments[0]
    wide = np.int64 if str(accumulator.type) == "i32" else np.float64
    k = tuple(n for n, kind in enumerate(op.iterators) if kind == "k")
    product = sides[0].astype(wide) * sides[1].astype(wide)
    total = product.sum(axis=k, keepdims=True).astype(DTYPES[str(accumulator.type)])
    short = [1 if n in k else size for n, size in enumerate(sizes)]
    extras = [_gather(o, next(maps), short, offsets) for o in groups[2]]
    arguments = op.epilogue_block.arguments
    results = _run(
        op.epilogue_block, dict(zip(arguments, [total, *extras], strict=True))
    )
    maps = [map_ for _, map_ in op.indexed("results")]
    return [
        _scatter(np.broadcast_to(v, short), maps[n], _shape_of(op, n, sizes), short)
        for n, v in enumerate(results)
    ]


def _lookups(op: MatmulOp, tensors: Sequence[np.ndarray]) -> dict[int, int]:
    """The index that each lookup is."""
    found = [n for n, kind in enumerate(op.iterators) if kind == LOOKUP]
    places = [[e.value for e in map_.results] for _, map_ in op.indexed("lookups")]
    triples = zip(found, tensors, places, strict=True)
    return {n: int(tensor[tuple(place)]) for n, tensor, place in triples}


def _shape_of(op: MatmulOp, number: int, sizes: list[int]) -> np.ndarray:
    """Something of the shape of a result: its greatest indices and one more."""
    _, map_ = op.indexed("results")[number]
    last = [np.int64(size - 1) for size in sizes]
    shape = [int(_index(e, last)) + 1 for e in map_.results]
    element = str(ir.RankedTensorType(op.results[number].type).element_type)
    return np.full(shape, 99, DTYPES[element])


def _sizes(maps: Sequence[ir.AffineMap], operands: Sequence[Any]) -> list[int]:
    sizes: dict[int, int] = {}
    for map_, value in zip(maps, operands, strict=True):
        for axis, expr in enumerate(map_.results):
            if isinstance(expr, ir.AffineDimExpr):
                sizes[expr.position] = np.shape(value)[axis]
    return [sizes[d] for d in range(maps[0].n_dims)]


def _grid(
    map_: ir.AffineMap, sizes: Sequence[int], offsets: Mapping[int, int]
) -> tuple[np.ndarray, ...]:
    """The indices of every iteration; those of an offset are the offset."""
    starts = [offsets.get(n, 0) for n in range(len(sizes))]
    ranges = [slice(a, a + size) for a, size in zip(starts, sizes, strict=True)]
    dims = np.ogrid[tuple(ranges)] if sizes else []
    return tuple(_index(e, dims) for e in map_.results)


def _index(expr: ir.AffineExpr, dims: Sequence[Any]) -> Any:
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineConstantExpr):
        return np.int64(expr.value)
    lhs, rhs = _index(expr.lhs, dims), _index(expr.rhs, dims)
    return lhs + rhs if isinstance(expr, ir.AffineAddExpr) else lhs * rhs


def _gather(
    value: Any,
    map_: ir.AffineMap,
    sizes: Sequence[int],
    offsets: Mapping[int, int] = NO_OFFSETS,
) -> Any:
    """The element that each iteration reads; broadcast where it is the same one."""
    if np.ndim(value) == 0:
        return value
    element = value[_grid(map_, sizes, offsets)]
    # Indexing leaves out the dimensions that no index has.
    return np.reshape(element, element.shape or (1,) * len(sizes))


def _scatter(
    value: np.ndarray, map_: ir.AffineMap, like: np.ndarray, sizes: Sequence[int]
) -> np.ndarray:
    """A tensor like another with the element of each iteration; 99 between them."""
    result = np.full_like(like, 99)
    kept = [min(full, size) for full, size in zip(value.shape, sizes, strict=True)]
    grid = _grid(map_, kept, NO_OFFSETS)
    result[grid] = np.reshape(value, np.shape(result[grid]))
    return result


def _constant(op: ir.Operation, operands: list[Any]) -> Any:
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        return np.array(attribute)
    if isinstance(attribute.type, ir.IndexType):
        return attribute.value
    return DTYPES[str(attribute.type)](attribute.value)


def _empty(op: ir.Operation, operands: list[Any]) -> np.ndarray:
    type_, dims = ir.RankedTensorType(op.result.type), iter(operands)
    shape = [
        next(dims) if type_.is_dynamic_dim(n) else type_.get_dim_size(n)
        for n in range(type_.rank)
    ]
    return np.full(shape, 99, DTYPES[str(type_.element_type)])


def _expanded(op: ir.Operation, operands: list[Any]) -> np.ndarray:
    type_, dims = ir.RankedTensorType(op.result.type), iter(operands[1:])
    return operands[0].reshape(
        [
            next(dims) if type_.is_dynamic_dim(n) else type_.get_dim_size(n)
            for n in range(type_.rank)
        ]
    )


def _collapsed(op: ir.Operation, operands: list[Any]) -> np.ndarray:
    groups = [[i.value for i in group] for group in op.attributes["reassociation"]]
    shape = operands[0].shape
    return operands[0].reshape([int(np.prod([shape[i] for i in g])) for g in groups])


def _sliced(op: ir.Operation, operands: list[Any]) -> np.ndarray:
    """A slice of static sizes, at offsets that may be operands."""
    source, *dynamic = operands
    values, unknown = iter(dynamic), ir.ShapedType.get_dynamic_size()
    offsets = [
        int(next(values)) if offset == unknown else offset
        for offset in op.attributes["static_offsets"]
    ]
    parts = zip(offsets, op.attributes["static_sizes"], strict=True)
    index = tuple(slice(offset, offset + size) for offset, size in parts)
    return source[index].reshape(op.result.type.shape)


_HANDLERS: Mapping[str, Callable[[ir.Operation, list[Any]], Any]] = {
    "arith.constant": _constant,
    "tensor.empty": _empty,
    "tensor.dim": lambda op, v: v[0].shape[v[1]],
    "tensor.extract": lambda op, v: v[0][tuple(v[1:])],
    "tensor.expand_shape": _expanded,
    "tensor.collapse_shape": _collapsed,
    "tensor.extract_slice": _sliced,
    "arith.divui": lambda op, v: v[0] // v[1],
    "arith.index_cast": lambda op, v: int(v[0]),
    "arith.select": lambda op, v: np.where(*v).astype(np.asarray(v[1]).dtype),
}

_BINARY = {
    "addf": np.add,
    "addi": np.add,
    "subf": np.subtract,
    "subi": np.subtract,
    "mulf": np.multiply,
    "muli": np.multiply,
    "divf": np.divide,
    "maximumf": np.maximum,
    "maxsi": np.maximum,
    "minsi": np.minimum,
}
_UNARY = {
    "arith.negf": np.negative,
    "math.erf": np.vectorize(math.erf, otypes=[np.float64]),
    "math.exp": np.exp,
    "math.tanh": np.tanh,
}


def _scalar(op: ir.Operation, operands: list[Any]) -> Any:
    name = op.name.removeprefix("arith.")
    if name in _BINARY:
        return _BINARY[name](*operands)
    if op.name in _UNARY:
        (value,) = operands
        return _UNARY[op.name](value).astype(value.dtype)
    if name.startswith("cmp"):
        return operands[0] > operands[1]
    if name in ("extf", "truncf", "extsi", "extui", "trunci", "sitofp"):
        type_ = op.result.type
        element = (
            type_.element_type if isinstance(type_, ir.RankedTensorType) else type_
        )
        return np.asarray(operands[0]).astype(DTYPES[str(element)])
    raise NotImplementedError(op.name)
