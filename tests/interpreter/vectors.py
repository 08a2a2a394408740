# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vector dialect, apart from memory. Each invocation has its own small vector."""

from collections.abc import Sequence

import numpy as np
from iree.compiler import ir

from .arithmetic import COMBINERS
from .engine import Execute, Machine, handles, unpack
from .types import element_dtype, vector_shape


@handles("vector.broadcast")
def _broadcast(op: ir.Operation) -> Execute:
    shape = vector_shape(op.results[0].type)

    def execute(machine: Machine, value: np.ndarray) -> np.ndarray:
        missing = (1,) * (len(shape) + 1 - value.ndim)
        value = value.reshape(len(value), *missing, *value.shape[1:])
        return np.broadcast_to(value, (len(value), *shape))

    return execute


@handles("vector.shape_cast")
def _shape_cast(op: ir.Operation) -> Execute:
    shape = vector_shape(op.results[0].type)
    return lambda machine, value: value.reshape(len(value), *shape)


@handles("vector.bitcast")
def _bitcast(op: ir.Operation) -> Execute:
    dtype = element_dtype(op.results[0].type)
    return lambda machine, value: np.ascontiguousarray(value).view(dtype)


@handles("vector.transpose")
def _transpose(op: ir.Operation) -> Execute:
    axes = (0, *(axis + 1 for axis in op.attributes["permutation"]))
    return lambda machine, value: value.transpose(axes)


@handles("vector.from_elements")
def _from_elements(op: ir.Operation) -> Execute:
    shape = vector_shape(op.results[0].type)

    def execute(machine: Machine, *elements: np.ndarray) -> np.ndarray:
        stacked = np.stack(np.broadcast_arrays(*elements), axis=-1)
        return stacked.reshape(len(stacked), *shape)

    return execute


@handles("vector.to_elements")
def _to_elements(op: ir.Operation) -> Execute:
    return lambda machine, value: unpack(list(value.reshape(len(value), -1).T))


@handles("vector.extract")
def _extract(op: ir.Operation) -> Execute:
    static = list(op.attributes["static_position"])

    def execute(machine: Machine, value: np.ndarray, *given: np.ndarray) -> np.ndarray:
        if given:
            value = _for_everyone(value, given)
        return value[_position(value, static, given)]

    return execute


@handles("vector.insert")
def _insert(op: ir.Operation) -> Execute:
    static = list(op.attributes["static_position"])

    def execute(
        machine: Machine, part: np.ndarray, value: np.ndarray, *given: np.ndarray
    ) -> np.ndarray:
        result = _for_everyone(value, (part, *given)).copy()
        result[_position(result, static, given)] = part
        return result

    return execute


def _for_everyone(value: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """Gives the value the longest leading axis of all."""
    invocations = max(len(value), *map(len, others))
    return np.broadcast_to(value, (invocations, *value.shape[1:]))


def _position(
    value: np.ndarray, static: Sequence[int], given: Sequence[np.ndarray]
) -> tuple[object, ...]:
    dynamic = iter(given)
    inner = [
        next(dynamic) if ir.ShapedType.is_dynamic_size(position) else position
        for position in static
    ]
    return (np.arange(len(value)) if given else slice(None), *inner)


@handles("vector.extract_strided_slice")
def _extract_strided_slice(op: ir.Operation) -> Execute:
    window = _window(op, [size.value for size in op.attributes["sizes"]])
    return lambda machine, value: value[window]


@handles("vector.insert_strided_slice")
def _insert_strided_slice(op: ir.Operation) -> Execute:
    outer, inner = (len(vector_shape(value.type)) for value in reversed(op.operands))
    sizes = [1] * (outer - inner) + list(vector_shape(op.operands[0].type))
    window = _window(op, sizes)

    def execute(machine: Machine, part: np.ndarray, value: np.ndarray) -> np.ndarray:
        result = _for_everyone(value, (part,)).copy()
        missing = (1,) * (outer - inner)
        result[window] = part.reshape(len(part), *missing, *part.shape[1:])
        return result

    return execute


def _window(op: ir.Operation, sizes: Sequence[int]) -> tuple[slice, ...]:
    if any(stride.value != 1 for stride in op.attributes["strides"]):
        raise ValueError("the interpreter knows no stride but 1")
    offsets = (offset.value for offset in op.attributes["offsets"])
    inner = (slice(at, at + size) for at, size in zip(offsets, sizes, strict=False))
    return (slice(None), *inner)


@handles("vector.shuffle")
def _shuffle(op: ir.Operation) -> Execute:
    chosen = list(op.attributes["mask"])

    def execute(machine: Machine, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = _for_everyone(a, (b,)), _for_everyone(b, (a,))
        return np.concatenate([a, b], axis=1)[:, chosen]

    return execute


@handles("vector.interleave")
def _interleave(op: ir.Operation) -> Execute:
    def execute(machine: Machine, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        pairs = np.stack(np.broadcast_arrays(a, b), axis=-1)
        return pairs.reshape(*pairs.shape[:-2], -1)

    return execute


@handles("vector.deinterleave")
def _deinterleave(op: ir.Operation) -> Execute:
    return lambda machine, value: (value[..., 0::2], value[..., 1::2])


@handles("vector.step")
def _step(op: ir.Operation) -> Execute:
    (size,) = vector_shape(op.results[0].type)
    return lambda machine: np.arange(size)[None]


@handles("vector.reduction")
def _reduction(op: ir.Operation) -> Execute:
    kind = str(op.attributes["kind"]).removeprefix("#vector.kind<").removesuffix(">")
    combine = COMBINERS[kind]

    def execute(
        machine: Machine, value: np.ndarray, start: np.ndarray | None = None
    ) -> np.ndarray:
        elements = list(value.T)
        if start is not None:
            elements.insert(0, start)
        total = elements[0]
        for element in elements[1:]:
            total = combine(total, element)
        return total

    return execute
