# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`vector` in MSL, for vectors of up to four elements."""

from iree.compiler import ir

from iree_gemm.passes.msl.types import (
    UnsupportedError,
    enumerator,
    is_bf16,
    lanes,
    msl_type,
)
from iree_gemm.passes.msl.writer import Emitter, Writer

REDUCTIONS = {
    "add": "{a} + {b}",
    "mul": "{a} * {b}",
    "maxnumf": "fmax({a}, {b})",
    "minnumf": "fmin({a}, {b})",
    "maximumf": "max({a}, {b})",
    "minimumf": "min({a}, {b})",
    "maxsi": "max({a}, {b})",
    "minsi": "min({a}, {b})",
}
DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()


def elements(writer: Writer, value: ir.Value) -> list[str]:
    """The elements of a scalar or vector as expressions."""
    name, count = writer.name(value), lanes(value.type)
    return [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]


def _build(writer: Writer, result: ir.Value, parts: list[str]) -> None:
    if len(parts) == 1:
        writer.alias(result, parts[0])
    else:
        writer.define(result, f"{msl_type(result.type)}({', '.join(parts)})")


def emit_broadcast(writer: Writer, op: ir.Operation) -> None:
    source, result = op.operands[0], op.results[0]
    name = writer.name(source)
    if lanes(source.type) == lanes(result.type):
        writer.alias(result, name)
    else:
        writer.define(result, f"{msl_type(result.type)}({name})")


def emit_alias(writer: Writer, op: ir.Operation) -> None:
    lanes(op.results[0].type)
    writer.alias(op.results[0], writer.name(op.operands[0]))


def _position(writer: Writer, op: ir.Operation, dynamic: list[ir.Value]) -> str | None:
    """Where an element is; None where the whole vector is meant."""
    places = list(op.attributes["static_position"])
    if not places:
        return None
    if len(places) > 1:
        raise UnsupportedError("vectors with several dimensions")
    place = places[0]
    return writer.name(dynamic[0]) if place == DYNAMIC else str(place)


def emit_extract(writer: Writer, op: ir.Operation) -> None:
    source, *dynamic = op.operands
    position = _position(writer, op, dynamic)
    name = writer.name(source)
    if position is None or lanes(source.type) == 1:
        writer.alias(op.results[0], name)
    else:
        writer.define(op.results[0], f"{name}[{position}]")


def emit_insert(writer: Writer, op: ir.Operation) -> None:
    value, target, *dynamic = op.operands
    position = _position(writer, op, dynamic)
    if position is None or lanes(target.type) == 1:
        writer.alias(op.results[0], writer.name(value))
        return
    name = writer.declare(op.results[0], writer.name(target))
    writer.line(f"{name}[{position}] = {writer.name(value)};")


def emit_from_elements(writer: Writer, op: ir.Operation) -> None:
    _build(writer, op.results[0], writer.operands(op))


def emit_to_elements(writer: Writer, op: ir.Operation) -> None:
    for result, part in zip(op.results, elements(writer, op.operands[0]), strict=True):
        writer.alias(result, part)


def emit_bitcast(writer: Writer, op: ir.Operation) -> None:
    name = msl_type(op.results[0].type)
    writer.define(op.results[0], f"as_type<{name}>({writer.name(op.operands[0])})")


def emit_fma(writer: Writer, op: ir.Operation) -> None:
    writer.define(op.results[0], f"fma({', '.join(writer.operands(op))})")


def emit_slice(writer: Writer, op: ir.Operation) -> None:
    offset, size, stride = (
        op.attributes[name][0].value for name in ("offsets", "sizes", "strides")
    )
    parts = elements(writer, op.operands[0])
    _build(writer, op.results[0], parts[offset : offset + size * stride : stride])


def emit_shuffle(writer: Writer, op: ir.Operation) -> None:
    parts = [part for value in op.operands for part in elements(writer, value)]
    chosen = [parts[max(index, 0)] for index in op.attributes["mask"]]
    _build(writer, op.results[0], chosen)


def emit_reduction(writer: Writer, op: ir.Operation) -> None:
    """From the first element on, and the accumulator last."""
    kind = enumerator(op.attributes["kind"])
    value = op.operands[0]
    if kind not in REDUCTIONS or is_bf16(value.type):
        raise UnsupportedError(f"reduction {kind} of {value.type}")
    text, *rest = elements(writer, value)
    rest += [writer.name(accumulator) for accumulator in list(op.operands)[1:]]
    for part in rest:
        text = f"({REDUCTIONS[kind].format(a=text, b=part)})"
    writer.define(op.results[0], text)


EMITTERS: dict[str, Emitter] = {
    "vector.bitcast": emit_bitcast,
    "vector.broadcast": emit_broadcast,
    "vector.extract": emit_extract,
    "vector.extract_strided_slice": emit_slice,
    "vector.fma": emit_fma,
    "vector.from_elements": emit_from_elements,
    "vector.insert": emit_insert,
    "vector.reduction": emit_reduction,
    "vector.shape_cast": emit_alias,
    "vector.shuffle": emit_shuffle,
    "vector.splat": emit_broadcast,
    "vector.to_elements": emit_to_elements,
}
