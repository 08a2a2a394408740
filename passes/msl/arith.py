# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`arith` in MSL. Signless integers are signed locals, `index` is `uint`."""

from functools import partial

from iree.compiler import ir

from iree_gemm.passes.msl.types import (
    SIGNED,
    UNSIGNED,
    UnsupportedError,
    constant,
    is_bf16,
    lanes,
    msl_type,
    scalar_of,
    with_lanes,
)
from iree_gemm.passes.msl.writer import Emitter, Writer

INFIX = {
    "addf": "+",
    "subf": "-",
    "mulf": "*",
    "divf": "/",
    "addi": "+",
    "subi": "-",
    "muli": "*",
    "andi": "&",
    "ori": "|",
    "xori": "^",
    "shli": "<<",
}
SIGNED_INFIX = {"divsi": "/", "remsi": "%", "shrsi": ">>"}
UNSIGNED_INFIX = {"divui": "/", "remui": "%", "shrui": ">>"}
CALLS = {"maxnumf": "fmax", "minnumf": "fmin", "remf": "fmod"}
SIGNED_CALLS = {"maxsi": "max", "minsi": "min"}
UNSIGNED_CALLS = {"maxui": "max", "minui": "min"}
# In the order of the predicates' numbers.
INTEGER_PREDICATES = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
FIRST_UNSIGNED_PREDICATE = 6
FLOAT_PREDICATES = {
    0: "false",
    1: "{a} == {b}",
    2: "{a} > {b}",
    3: "{a} >= {b}",
    4: "{a} < {b}",
    5: "{a} <= {b}",
    6: "({a} < {b}) | ({a} > {b})",
    7: "({a} == {a}) & ({b} == {b})",
    8: "({a} == {b}) | ({a} != {a}) | ({b} != {b})",
    9: "!({a} <= {b})",
    10: "!({a} < {b})",
    11: "!({a} >= {b})",
    12: "!({a} > {b})",
    13: "{a} != {b}",
    14: "({a} != {a}) | ({b} != {b})",
    15: "true",
}


def _no_bf16(op: ir.Operation) -> None:
    if any(is_bf16(value.type) for value in (*op.operands, *op.results)):
        raise UnsupportedError(
            "bf16 is only loaded, stored and converted; extend first"
        )


def _signed(type_: ir.Type) -> str:
    scalar = scalar_of(type_)
    return with_lanes(SIGNED.get(scalar, scalar), lanes(type_))


def _unsigned(type_: ir.Type) -> str:
    scalar = scalar_of(type_)
    return with_lanes(UNSIGNED.get(scalar, scalar), lanes(type_))


def _as(type_name: str, value: ir.Value, text: str) -> str:
    """A value converted where its local is of another type."""
    return text if msl_type(value.type) == type_name else f"{type_name}({text})"


def emit_constant(writer: Writer, op: ir.Operation) -> None:
    writer.alias(op.results[0], constant(op.attributes["value"]))


def emit_infix(sign: str, writer: Writer, op: ir.Operation) -> None:
    _no_bf16(op)
    left, right = writer.operands(op)
    result = op.results[0]
    text = f"{left} {sign} {right}"
    if scalar_of(result.type) in ("char", "short", "bool"):  # C computes these as int
        text = f"{msl_type(result.type)}({text})"
    writer.define(result, text)


def emit_converted(form: str, convert, writer: Writer, op: ir.Operation) -> None:
    """An operation that reads its operands as signed or as unsigned integers."""
    result = op.results[0]
    type_name = convert(result.type)
    left, right = (_as(type_name, value, writer.name(value)) for value in op.operands)
    text = form.format(a=left, b=right)
    writer.define(result, _as_result(type_name, result, text))


def _as_result(type_name: str, result: ir.Value, text: str) -> str:
    own = msl_type(result.type)
    return text if own == type_name else f"{own}({text})"


def emit_call(function: str, writer: Writer, op: ir.Operation) -> None:
    _no_bf16(op)
    writer.define(op.results[0], f"{function}({', '.join(writer.operands(op))})")


def emit_propagating(sign: str, writer: Writer, op: ir.Operation) -> None:
    """`maximumf` and `minimumf`: a NaN on either side is the result."""
    _no_bf16(op)
    a, b = writer.operands(op)
    chosen = f"({a} {sign} {b}) | ({a} != {a})"
    if lanes(op.results[0].type) == 1:
        writer.define(op.results[0], f"{chosen} ? {a} : {b}")
    else:
        writer.define(op.results[0], f"select({b}, {a}, {chosen})")


def emit_negate(writer: Writer, op: ir.Operation) -> None:
    _no_bf16(op)
    writer.define(op.results[0], f"-({writer.name(op.operands[0])})")


def emit_ceildivui(writer: Writer, op: ir.Operation) -> None:
    type_name = _unsigned(op.results[0].type)
    a, b = (_as(type_name, value, writer.name(value)) for value in op.operands)
    text = f"({a} + {b} - 1) / {b}"
    writer.define(op.results[0], _as_result(type_name, op.results[0], text))


def emit_cmpi(writer: Writer, op: ir.Operation) -> None:
    predicate = op.attributes["predicate"].value
    type_ = op.operands[0].type
    unsigned = predicate >= FIRST_UNSIGNED_PREDICATE
    type_name = _unsigned(type_) if unsigned else _signed(type_)
    if predicate < 2:
        type_name = msl_type(type_)
    a, b = (_as(type_name, value, writer.name(value)) for value in op.operands)
    _define_test(writer, op.results[0], f"{a} {INTEGER_PREDICATES[predicate]} {b}")


def _define_test(writer: Writer, result: ir.Value, text: str) -> None:
    """A comparison; of vectors it is a vector, which the constructor makes explicit."""
    kind = msl_type(result.type)
    writer.define(result, text if kind == "bool" else f"{kind}({text})")


def emit_cmpf(writer: Writer, op: ir.Operation) -> None:
    _no_bf16(op)
    a, b = writer.operands(op)
    text = FLOAT_PREDICATES[op.attributes["predicate"].value].format(a=a, b=b)
    _define_test(writer, op.results[0], text)


def emit_select(writer: Writer, op: ir.Operation) -> None:
    condition, yes, no = writer.operands(op)
    if lanes(op.operands[0].type) == 1:
        writer.define(op.results[0], f"{condition} ? {yes} : {no}")
    else:
        writer.define(op.results[0], f"select({no}, {yes}, {condition})")


def emit_cast(writer: Writer, op: ir.Operation) -> None:
    """A conversion that MSL's constructors do; signed, or between equal signs."""
    source, result = op.operands[0], op.results[0]
    text = writer.name(source)
    if is_bf16(source.type) or is_bf16(result.type):
        raise UnsupportedError("convert bf16 to f32 first")
    writer.define(result, f"{msl_type(result.type)}({text})")


def emit_unsigned_cast(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    kind, text = msl_type(result.type), writer.name(source)
    if scalar_of(source.type) == "bool":
        writer.define(result, f"select({kind}(0), {kind}(1), {text})")
    else:
        unsigned = _as(_unsigned(source.type), source, text)
        writer.define(result, _as_result(_unsigned(source.type), result, unsigned))


def emit_to_unsigned(writer: Writer, op: ir.Operation) -> None:
    result = op.results[0]
    text = f"{_unsigned(result.type)}({writer.name(op.operands[0])})"
    writer.define(result, _as_result(_unsigned(result.type), result, text))


def emit_extf(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    if not is_bf16(source.type):
        emit_cast(writer, op)
        return
    count = lanes(result.type)
    bits = f"{with_lanes('uint', count)}({writer.name(source)}) << 16"
    writer.define(result, f"as_type<{with_lanes('float', count)}>({bits})")


def emit_truncf(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    if not is_bf16(result.type):
        emit_cast(writer, op)
        return
    function, name = writer.helper("gemm_bf16"), writer.name(source)
    count = lanes(result.type)
    parts = [f"{name}[{i}]" for i in range(count)] if count > 1 else [name]
    text = ", ".join(f"{function}({part})" for part in parts)
    writer.define(result, f"{msl_type(result.type)}({text})")


def emit_trunci(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    text = writer.name(source)
    if scalar_of(result.type) == "bool":  # keeps the low bit; bool(x) would ask x != 0
        text = f"({text} & {msl_type(source.type)}(1))"
    writer.define(result, f"{msl_type(result.type)}({text})")


def emit_extsi(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    name = f"{msl_type(result.type)}({writer.name(source)})"
    negate = scalar_of(source.type) == "bool"  # the sign bit of an i1 is its only bit
    writer.define(result, f"-{name}" if negate else name)


def emit_bitcast(writer: Writer, op: ir.Operation) -> None:
    name = msl_type(op.results[0].type)
    writer.define(op.results[0], f"as_type<{name}>({writer.name(op.operands[0])})")


def _converted(table: dict[str, str], form: str, convert) -> dict[str, Emitter]:
    return {
        f"arith.{name}": partial(emit_converted, form.replace("@", text), convert)
        for name, text in table.items()
    }


EMITTERS: dict[str, Emitter] = {
    "arith.constant": emit_constant,
    **{f"arith.{name}": partial(emit_infix, sign) for name, sign in INFIX.items()},
    **{f"arith.{name}": partial(emit_call, call) for name, call in CALLS.items()},
    **_converted(SIGNED_INFIX, "{a} @ {b}", _signed),
    **_converted(UNSIGNED_INFIX, "{a} @ {b}", _unsigned),
    **_converted(SIGNED_CALLS, "@({a}, {b})", _signed),
    **_converted(UNSIGNED_CALLS, "@({a}, {b})", _unsigned),
    "arith.maximumf": partial(emit_propagating, ">"),
    "arith.minimumf": partial(emit_propagating, "<"),
    "arith.negf": emit_negate,
    "arith.ceildivui": emit_ceildivui,
    "arith.cmpi": emit_cmpi,
    "arith.cmpf": emit_cmpf,
    "arith.select": emit_select,
    "arith.extf": emit_extf,
    "arith.truncf": emit_truncf,
    "arith.extsi": emit_extsi,
    "arith.extui": emit_unsigned_cast,
    "arith.trunci": emit_trunci,
    "arith.sitofp": emit_cast,
    "arith.uitofp": emit_unsigned_cast,
    "arith.fptosi": emit_cast,
    "arith.fptoui": emit_to_unsigned,
    "arith.index_cast": emit_cast,
    "arith.index_castui": emit_unsigned_cast,
    "arith.bitcast": emit_bitcast,
}
