# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function of the host: shapes, scalars, branches and dispatches.

The host is a group of one invocation, so scalars have a leading axis of 1. Tensors are
plain arrays that nobody changes.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from iree.compiler import ir

from .dispatch import run_dispatch, symbol
from .engine import Block, Decoder, Execute, KernelError, Machine, handles, unpack
from .memory import POISON
from .types import scalar_dtype


@dataclass(kw_only=True)
class _Host(Machine):
    module: ir.Operation
    variant: str | None
    dispatch: Callable[..., None]


def run_function(
    function: ir.Operation,
    arguments: Sequence[np.ndarray | float],
    variant: str | None = None,
    dispatch: Callable[..., None] = run_dispatch,
) -> list[np.ndarray]:
    """Executes a func.func or util.func with tensors and scalars for arguments.

    `variant` names the executable variant that dispatches take where they list several;
    otherwise they take the first. `dispatch` runs a kernel, as run_dispatch does.
    """
    function = function.operation
    module = function.parent.operation
    decoder = Decoder()
    body = decoder.block(function.regions[0].blocks[0])
    host = _Host(
        [None] * len(decoder.slots), module=module, variant=variant, dispatch=dispatch
    )
    types = [argument.type for argument in function.regions[0].blocks[0].arguments]
    if len(types) != len(arguments):
        given = len(arguments)
        raise KernelError(f"{symbol(function)} takes {len(types)} values, not {given}")
    with np.errstate(all="ignore"):
        return list(host.run(body, list(map(_argument, types, arguments))))


def _argument(type_: ir.Type, value: np.ndarray | float) -> np.ndarray:
    if not isinstance(type_, ir.RankedTensorType):
        return np.array([value], scalar_dtype(type_))
    dtype = scalar_dtype(type_.element_type)
    value = np.ascontiguousarray(value)
    fits = len(value.shape) == len(type_.shape) and all(
        ir.ShapedType.is_dynamic_size(wanted) or wanted == extent
        for wanted, extent in zip(type_.shape, value.shape, strict=True)
    )
    if value.dtype != dtype or not fits:
        raise KernelError(f"{value.dtype} array of {value.shape} is not a {type_}")
    return value


def _shape(type_: ir.RankedTensorType, dims: Iterator[np.ndarray]) -> tuple[int, ...]:
    """Fills the dynamic extents of a type in, from as many dims as it takes."""
    return tuple(
        next(dims)[0].item() if ir.ShapedType.is_dynamic_size(extent) else extent
        for extent in type_.shape
    )


def _uninitialized(type_: ir.Type, dims: Iterator[np.ndarray]) -> np.ndarray:
    array = np.empty(_shape(type_, dims), scalar_dtype(type_.element_type))
    array.reshape(-1).view(np.uint8).fill(POISON)
    return array


@handles("tensor.empty", "flow.tensor.empty")
def _empty(op: ir.Operation) -> Execute:
    return lambda host, *dims: _uninitialized(op.results[0].type, iter(dims))


@handles("linalg.fill")
def _fill(op: ir.Operation, body: Block) -> Execute:
    return lambda host, value, tensor: np.full_like(tensor, value[0])


@handles("tensor.dim")
def _dim(op: ir.Operation) -> Execute:
    return lambda host, tensor, axis: np.array([tensor.shape[axis[0]]])


@handles("tensor.cast")
def _cast(op: ir.Operation) -> Execute:
    return lambda host, tensor: tensor


@handles("tensor.expand_shape", "flow.tensor.reshape")
def _expand_shape(op: ir.Operation) -> Execute:
    type_ = op.results[0].type
    dynamic = sum(map(ir.ShapedType.is_dynamic_size, type_.shape))

    def execute(host: _Host, tensor: np.ndarray, *dims: np.ndarray) -> np.ndarray:
        # A reshape lists the dims of its operand before those of its result.
        return tensor.reshape(_shape(type_, iter(dims[len(dims) - dynamic :])))

    return execute


@handles("tensor.collapse_shape")
def _collapse_shape(op: ir.Operation) -> Execute:
    groups = op.attributes["reassociation"]

    def execute(host: _Host, tensor: np.ndarray) -> np.ndarray:
        extents = [[tensor.shape[axis.value] for axis in group] for group in groups]
        return tensor.reshape([math.prod(group) for group in extents])

    return execute


@handles("tensor.extract")
def _extract(op: ir.Operation) -> Execute:
    return lambda host, tensor, *at: tensor[tuple(index[0] for index in at)][None]


@handles("tensor.extract_slice")
def _extract_slice(op: ir.Operation) -> Execute:
    """With sizes known at compile time, and steps of 1."""
    starts, sizes = (op.attributes[f"static_{n}"] for n in ("offsets", "sizes"))
    shape, unknown = op.results[0].type.shape, ir.ShapedType.get_dynamic_size()

    def execute(host: _Host, tensor: np.ndarray, *offsets: np.ndarray) -> np.ndarray:
        given = (int(offset[0]) for offset in offsets)
        known = [next(given) if start == unknown else start for start in starts]
        parts = zip(known, sizes, strict=True)
        window = tuple(slice(start, start + size) for start, size in parts)
        return np.ascontiguousarray(tensor[window]).reshape(shape)

    return execute


@handles("flow.dispatch")
def _dispatch(op: ir.Operation) -> Execute:
    workload, count, argument_dims, _ = op.attributes["operandSegmentSizes"]
    first_result_dim = workload + count + argument_dims

    def execute(host: _Host, *operands: Any) -> Any:
        source, export = _executable(host, op.attributes["entry_points"])
        arguments = operands[workload : workload + count]
        call = _Call.prepare(op, arguments, iter(operands[first_result_dim:]))
        extents = [extent[0].item() for extent in operands[:workload]]
        host.dispatch(source, extents, call.constants, call.buffers, export)
        return unpack(call.results)

    return execute


@dataclass(frozen=True)
class _Call:
    """The arguments of a dispatch, and the buffers among them that are its results."""

    constants: list[int]
    buffers: list[np.ndarray]
    results: list[np.ndarray]

    @staticmethod
    def prepare(
        op: ir.Operation, arguments: Sequence[np.ndarray], dims: Iterator[np.ndarray]
    ) -> "_Call":
        """Copies what a tied result overwrites; other tensors become read-only."""
        first, tied = op.attributes["operandSegmentSizes"][0], _tied(op)
        constants, tensors = [], {}
        for number, value in enumerate(arguments):
            if not isinstance(op.operands[first + number].type, ir.RankedTensorType):
                constants.append(_constant(value))
            else:
                tensors[number] = value.copy() if number in tied else _frozen(value)
        results, fresh = [], []
        for result, number in zip(op.results, tied, strict=True):
            array = _uninitialized(result.type, dims)
            if number is None:
                fresh.append(array)
            results.append(tensors.get(number, array))
        return _Call(constants, [*tensors.values(), *fresh], results)


def _tied(op: ir.Operation) -> list[int | None]:
    """For each result the argument whose buffer it takes."""
    if "tied_operands" not in op.attributes:
        return [None] * len(op.results)
    tied = [index.value for index in op.attributes["tied_operands"]]
    return [None if index < 0 else index for index in tied]


def _frozen(value: np.ndarray) -> np.ndarray:
    view = value.view()
    view.flags.writeable = False
    return view


def _constant(value: np.ndarray) -> int:
    if value.itemsize != 4:
        raise ValueError(f"a dispatch takes scalars of 32 bits, not {value.dtype}")
    return value.view(np.int32)[0].item()


def _executable(host: _Host, entry_points: ir.ArrayAttr) -> tuple[ir.Operation, str]:
    """The operation that holds the kernel, and the kernel's name."""
    paths = [_path(entry) for entry in entry_points]
    several = host.variant is not None and len(paths) > 1
    chosen = [path for path in paths if not several or host.variant in path[1:-1]]
    if not chosen:
        raise ValueError(f"no entry point in a variant {host.variant}")
    *names, export = chosen[0]
    scope = host.module
    for name in names:
        scope = _find(scope, name)
    return scope, export


def _path(entry: ir.Attribute) -> list[str]:
    return list(ir.SymbolRefAttr(entry).value)


def _find(scope: ir.Operation, name: str) -> ir.Operation:
    for view in scope.regions[0].blocks[0].operations:
        if symbol(view.operation) == name:
            return view.operation
    raise ValueError(f"no executable or variant @{name}")
