# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`scf` in MSL: structured loops and branches over mutable locals."""

from collections.abc import Sequence

from iree.compiler import ir

from iree_gemm.passes.msl.types import msl_type
from iree_gemm.passes.msl.writer import Emitter, Writer


def emit_for(writer: Writer, op: ir.Operation) -> None:
    lower, upper, step, *initial = op.operands
    block = op.regions[0].blocks[0]
    counter, *carried = block.arguments
    variables = [
        writer.declare(argument, writer.name(value), "acc")
        for argument, value in zip(carried, initial, strict=True)
    ]
    name = writer.fresh("i")
    writer.alias(counter, name)
    start, end, by = (writer.name(value) for value in (lower, upper, step))
    kind = msl_type(counter.type)
    test = f"{name} < {end}"
    if kind == "uint" and not (start[0].isdigit() and end[0].isdigit()):
        test = f"int({name}) < int({end})"  # signed, as scf.for compares
    with writer.braces(f"for ({kind} {name} = {start}; {test}; {name} += {by})"):
        writer.block(block)
        _assign(writer, variables, _terminator(block).operands)
    for result, variable in zip(op.results, variables, strict=True):
        writer.alias(result, variable)


def _terminator(block: ir.Block) -> ir.Operation:
    return list(block.operations)[-1].operation


def _assign(
    writer: Writer, variables: Sequence[str], values: Sequence[ir.Value]
) -> None:
    """All at once: a variable that another one's new value reads is kept aside."""
    names = [writer.name(value) for value in values]
    for position, name in enumerate(names):
        if name.split("[")[0] in variables[:position]:
            names[position] = writer.fresh("old")
            kind = msl_type(values[position].type)
            writer.line(f"const {kind} {names[position]} = {name};")
    for variable, name in zip(variables, names, strict=True):
        if variable != name:
            writer.line(f"{variable} = {name};")


def emit_if(writer: Writer, op: ir.Operation) -> None:
    variables = [writer.declare(result) for result in op.results]
    then, otherwise = (list(region.blocks) for region in op.regions)
    with writer.braces(f"if ({writer.name(op.operands[0])})"):
        _branch(writer, then[0], variables)
    if otherwise:
        with writer.braces("else"):
            _branch(writer, otherwise[0], variables)


def _branch(writer: Writer, block: ir.Block, variables: Sequence[str]) -> None:
    writer.block(block)
    _assign(writer, variables, _terminator(block).operands)


def emit_while(writer: Writer, op: ir.Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    carried = [
        writer.declare(argument, writer.name(value), "acc")
        for argument, value in zip(before.arguments, op.operands, strict=True)
    ]
    results = [writer.declare(result) for result in op.results]
    for argument, name in zip(after.arguments, results, strict=True):
        writer.alias(argument, name)
    with writer.braces("while (true)"):
        writer.block(before)
        condition, *passed = _terminator(before).operands
        _assign(writer, results, passed)
        writer.line(f"if (!{writer.name(condition)}) break;")
        writer.block(after)
        _assign(writer, carried, _terminator(after).operands)


EMITTERS: dict[str, Emitter] = {
    "scf.for": emit_for,
    "scf.if": emit_if,
    "scf.while": emit_while,
}
