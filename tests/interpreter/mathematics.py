# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The math and affine dialects."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from iree.compiler import ir

from .arithmetic import Function, pure
from .engine import Execute, Machine, handles, unpack

_erf = np.vectorize(math.erf, otypes=[np.float64])

# The 29 low bits that a float64 has over a float32, set as they are half-way.
_LOW_BITS, _HALF_WAY = 0x1FFFFFFF, 0x10000000


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c, rounded once.

    The product is exact in float64; a sum that looks half-way between two values of
    float32 is moved off it by the sum's own rounding error, if it has one.
    """
    if a.dtype != np.float32:
        wide = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
        return wide.astype(a.dtype)
    product = a.astype(np.float64) * b
    total = np.asarray(product + c)
    if ((total.view(np.int64) & _LOW_BITS) == _HALF_WAY).any():
        total = _off_half_way(product, c.astype(np.float64), total)
    return total.astype(np.float32)


def _off_half_way(product: np.ndarray, c: np.ndarray, total: np.ndarray) -> np.ndarray:
    back = total - product
    error = (product - (total - back)) + (c - back)
    moved = np.nextafter(total, np.copysign(np.inf, error))
    at_half = (total.view(np.int64) & _LOW_BITS) == _HALF_WAY
    return np.where(at_half & (error != 0) & np.isfinite(total), moved, total)


def _typed(function: Function) -> Function:
    """Keeps the operand's type whatever the function computes in."""
    return lambda value, *rest: function(value, *rest).astype(value.dtype, copy=False)


def _clamp(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.fmin(np.fmax(value, low), high)


for _name, _function in {
    "absf": np.abs,
    "absi": np.abs,
    "ceil": np.ceil,
    "clampf": _clamp,
    "copysign": np.copysign,
    "cos": np.cos,
    "erf": _erf,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "fma": fma,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "powf": np.power,
    "round": lambda value: np.copysign(np.floor(np.abs(value) + 0.5), value),
    "roundeven": np.rint,
    "rsqrt": lambda value: 1 / np.sqrt(value),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "trunc": np.trunc,
}.items():
    pure(f"math.{_name}", _typed(_function))
pure("vector.fma", fma)

_AFFINE: dict[type, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    ir.AffineAddExpr: np.add,
    ir.AffineMulExpr: np.multiply,
    ir.AffineModExpr: np.mod,
    ir.AffineFloorDivExpr: np.floor_divide,
    ir.AffineCeilDivExpr: lambda a, b: -(-a // b),
}


@handles("affine.apply")
def _apply(op: ir.Operation) -> Execute:
    map_ = op.attributes["map"].value
    expression, dims = map_.results[0], map_.n_dims

    def execute(machine: Machine, *operands: np.ndarray) -> np.ndarray:
        return _evaluate(expression, operands[:dims], operands[dims:])

    return execute


def _evaluate(
    expression: ir.AffineExpr,
    dims: Sequence[np.ndarray],
    symbols: Sequence[np.ndarray],
) -> np.ndarray:
    if isinstance(expression, ir.AffineConstantExpr):
        return np.array([expression.value])
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    return _AFFINE[type(expression)](
        _evaluate(expression.lhs, dims, symbols),
        _evaluate(expression.rhs, dims, symbols),
    )


@handles("affine.delinearize_index")
def _delinearize(op: ir.Operation) -> Execute:
    static = list(op.attributes["static_basis"])

    def execute(machine: Machine, index: np.ndarray, *given: np.ndarray) -> object:
        basis = _basis(static, given)
        digits = []
        for extent in basis[::-1][: len(op.results) - 1]:
            digits.append(index % extent)
            index = index // extent
        return unpack([index, *digits[::-1]])

    return execute


@handles("affine.linearize_index")
def _linearize(op: ir.Operation) -> Execute:
    static, count = list(op.attributes["static_basis"]), _index_count(op)

    def execute(machine: Machine, *operands: np.ndarray) -> np.ndarray:
        basis = _basis(static, operands[count:])
        result = operands[0]
        for digit, extent in zip(operands[1:count], basis[1 - count :], strict=True):
            result = result * extent + digit
        return result

    return execute


def _index_count(op: ir.Operation) -> int:
    return op.attributes["operandSegmentSizes"][0]


def _basis(static: Sequence[int], given: Sequence[np.ndarray]) -> list[np.ndarray]:
    dynamic = iter(given)
    return [
        next(dynamic) if ir.ShapedType.is_dynamic_size(extent) else np.array([extent])
        for extent in static
    ]
