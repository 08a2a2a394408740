# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`math` in MSL.

The runtime compiles with fast math, whose versions of these functions have narrower
ranges (tanh of a large number is NaN): the precise ones are named everywhere.
"""

from functools import partial

from iree.compiler import ir

from iree_gemm.passes.msl.types import (
    UnsupportedError,
    is_bf16,
    lanes,
    msl_type,
    scalar_of,
    with_lanes,
)
from iree_gemm.passes.msl.vectors import elements
from iree_gemm.passes.msl.writer import Emitter, Writer

PRECISE = {
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atan2": "atan2",
    "atanh": "atanh",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "exp2": "exp2",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "powf": "pow",
    "rsqrt": "rsqrt",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
EXACT = {
    "absf": "fabs",
    "absi": "abs",
    "ceil": "ceil",
    "clampf": "clamp",
    "copysign": "copysign",
    "floor": "floor",
    "fma": "fma",
    "round": "round",
    "roundeven": "rint",
    "trunc": "trunc",
}
OWN = {
    "cbrt": "gemm_cbrt",
    "erf": "gemm_erf",
    "erfc": "gemm_erfc",
    "expm1": "gemm_expm1",
    "log1p": "gemm_log1p",
}


def _check(op: ir.Operation) -> None:
    if any(is_bf16(value.type) for value in op.operands):
        raise UnsupportedError(
            "bf16 is only loaded, stored and converted; extend first"
        )


def emit_precise(function: str, writer: Writer, op: ir.Operation) -> None:
    """In f32, the only type that the precise functions have."""
    _check(op)
    result = op.results[0]
    arguments = writer.operands(op)
    if scalar_of(result.type) != "half":
        writer.define(result, f"precise::{function}({', '.join(arguments)})")
        return
    wide = with_lanes("float", lanes(result.type))
    inside = ", ".join(f"{wide}({argument})" for argument in arguments)
    writer.define(result, f"{msl_type(result.type)}(precise::{function}({inside}))")


def emit_exact(function: str, writer: Writer, op: ir.Operation) -> None:
    _check(op)
    writer.define(op.results[0], f"{function}({', '.join(writer.operands(op))})")


def emit_own(function: str, writer: Writer, op: ir.Operation) -> None:
    """A function that MSL lacks, element by element."""
    _check(op)
    name, result = writer.helper(function), op.results[0]
    parts = elements(writer, op.operands[0])
    text = ", ".join(f"{name}({part})" for part in parts)
    writer.define(result, f"{msl_type(result.type)}({text})")


def emit_power(writer: Writer, op: ir.Operation) -> None:
    """A float to an integer power, by repeated multiplication."""
    _check(op)
    name, result = writer.helper("gemm_powi"), op.results[0]
    pairs = zip(*(elements(writer, value) for value in op.operands), strict=True)
    text = ", ".join(f"{name}({base}, {power})" for base, power in pairs)
    writer.define(result, f"{msl_type(result.type)}({text})")


EMITTERS: dict[str, Emitter] = {
    **{f"math.{name}": partial(emit_precise, msl) for name, msl in PRECISE.items()},
    **{f"math.{name}": partial(emit_exact, msl) for name, msl in EXACT.items()},
    **{f"math.{name}": partial(emit_own, msl) for name, msl in OWN.items()},
    "math.fpowi": emit_power,
}
