# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arith dialect, rounded as the types say and wrapped to their widths."""

import operator
from collections.abc import Callable

import numpy as np
from iree.compiler import ir

from .engine import HANDLERS, Execute, Machine, handles
from .types import constant_array, element_dtype

Function = Callable[..., np.ndarray]


def pure(name: str, function: Function) -> None:
    """An operation that is a function of its operands."""

    def handler(op: ir.Operation) -> Execute:
        return lambda machine, *operands: function(*operands)

    HANDLERS[name] = handler


def unsigned(value: np.ndarray) -> np.ndarray:
    """The same bits as an unsigned integer; i1 is that already."""
    return value if value.dtype.kind == "b" else value.view(f"u{value.itemsize}")


def on_unsigned(function: Function) -> Function:
    """Takes and returns signless values but computes with unsigned ones."""

    def wrapped(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return function(unsigned(a), unsigned(b)).view(a.dtype)

    return wrapped


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rounds towards zero, as machines do."""
    floor = a // b
    return floor + ((floor < 0) & (floor * b != a)).astype(a.dtype)


def _ceiling(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    floor = a // b
    return floor + (floor * b != a).astype(a.dtype)


for _name, _function in {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "shli": np.left_shift,
    "shrsi": np.right_shift,
    "shrui": on_unsigned(np.right_shift),
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "maxui": on_unsigned(np.maximum),
    "minui": on_unsigned(np.minimum),
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "remf": np.fmod,
    "negf": np.negative,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}.items():
    pure(f"arith.{_name}", _function)


def _division(name: str, function: Function) -> None:
    def execute(machine: Machine, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        zero = (b == 0).reshape(len(b), -1).any(1)
        if zero.any():
            if machine.active(zero).any():
                raise ValueError("division by zero")
            b = np.where(b == 0, np.ones_like(b), b)
        return function(a, b)

    HANDLERS[f"arith.{name}"] = lambda op: execute


for _name, _function in {
    "divsi": _quotient,
    "divui": on_unsigned(np.floor_divide),
    "floordivsi": np.floor_divide,
    "ceildivsi": _ceiling,
    "ceildivui": on_unsigned(_ceiling),
    "remsi": np.fmod,
    "remui": on_unsigned(np.remainder),
}.items():
    _division(_name, _function)

_ORDERINGS = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}
_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord")
_CMPF += ("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")


@handles("arith.cmpi")
def _cmpi(op: ir.Operation) -> Execute:
    predicate = _CMPI[op.attributes["predicate"].value]
    if predicate in ("eq", "ne"):
        compare = getattr(operator, predicate)
        return lambda machine, a, b: compare(a, b)
    compare = _ORDERINGS[predicate[1:]]
    if predicate.startswith("u"):
        return lambda machine, a, b: compare(unsigned(a), unsigned(b))
    return lambda machine, a, b: compare(a, b)


@handles("arith.cmpf")
def _cmpf(op: ir.Operation) -> Execute:
    predicate = _CMPF[op.attributes["predicate"].value]

    def execute(machine: Machine, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        unordered = np.isnan(a) | np.isnan(b)
        if predicate in ("false", "true"):
            return np.full(unordered.shape, predicate == "true")
        if predicate in ("ord", "uno"):
            return unordered if predicate == "uno" else ~unordered
        relation = _RELATIONS[predicate[1:]](a, b)
        return relation | unordered if predicate[0] == "u" else relation & ~unordered

    return execute


_RELATIONS = _ORDERINGS | {"eq": operator.eq, "ne": operator.ne}


@handles("arith.constant")
def _constant(op: ir.Operation) -> Execute:
    value = constant_array(op.attributes["value"])
    return lambda machine: value


@handles("arith.select")
def _select(op: ir.Operation) -> Execute:
    def execute(
        machine: Machine, condition: np.ndarray, a: np.ndarray, b: np.ndarray
    ) -> np.ndarray:
        if condition.ndim < a.ndim:
            condition = condition.reshape(-1, *(1,) * (a.ndim - 1))
        return np.where(condition, a, b)

    return execute


def _signed(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts from a signed integer, of which i1 is the one that NumPy lacks."""
    return (-value.astype(np.int8) if value.dtype.kind == "b" else value).astype(dtype)


def _truncate_integer(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return (value & 1 if dtype.kind == "b" else value).astype(dtype)


def _float_to_unsigned(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return value.astype(np.int64).astype(dtype)


def _conversion(name: str, convert: Function) -> None:
    def handler(op: ir.Operation) -> Execute:
        dtype = element_dtype(op.results[0].type)
        return lambda machine, value: convert(value, dtype)

    HANDLERS[f"arith.{name}"] = handler


for _name, _function in {
    "extf": np.ndarray.astype,
    "truncf": np.ndarray.astype,
    "fptosi": np.ndarray.astype,
    "fptoui": _float_to_unsigned,
    "sitofp": _signed,
    "uitofp": lambda value, dtype: unsigned(value).astype(dtype),
    "extsi": _signed,
    "extui": lambda value, dtype: unsigned(value).astype(dtype),
    "index_cast": _signed,
    "index_castui": lambda value, dtype: unsigned(value).astype(dtype),
    "trunci": _truncate_integer,
    "bitcast": lambda value, dtype: value.view(dtype),
}.items():
    _conversion(_name, _function)


def _extended(name: str, widen: Callable[[np.ndarray], np.ndarray]) -> None:
    """Products of 32-bit integers as their low and high halves."""

    def execute(
        machine: Machine, a: np.ndarray, b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        if a.dtype != np.int32:
            raise ValueError(f"the interpreter knows no {name} of {a.dtype}")
        product = widen(a) * widen(b)
        return product.astype(a.dtype), (product >> 32).astype(a.dtype)

    HANDLERS[f"arith.{name}"] = lambda op: execute


_extended("mulsi_extended", lambda value: value.astype(np.int64))
_extended("mului_extended", lambda value: unsigned(value).astype(np.uint64))

COMBINERS: dict[str, Function] = {
    "add": np.add,
    "mul": np.multiply,
    "minsi": np.minimum,
    "minui": on_unsigned(np.minimum),
    "maxsi": np.maximum,
    "maxui": on_unsigned(np.maximum),
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""What reductions of vectors and of subgroups combine with, by their keyword."""
