# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binds more than C to the kernel that writes it, so that a device can show overruns.

Devices drop what is written beyond a binding, so the binding has to be larger than C.
"""

from __future__ import annotations

from iree.compiler import ir
from iree.compiler.dialects import flow


def return_larger_result(function: ir.Operation, rows: int) -> None:
    """Gives the function one more parameter: C with `rows` more, which it returns.

    What writes C writes to the start of that.
    """
    body = function.regions[0].blocks[0]
    terminator = body.operations[len(body.operations) - 1]
    dispatch = terminator.operands[0].owner
    height, width = dispatch.results[0].type.shape
    element = dispatch.results[0].type.element_type
    larger = ir.RankedTensorType.get([height + rows, width], element)
    target = body.add_argument(larger, ir.Location.unknown())
    with ir.InsertionPoint(terminator):
        result = _dispatch_into(dispatch, target)
        ir.Operation.create(terminator.name, operands=[result])
    terminator.erase()
    dispatch.erase()
    inputs = [argument.type for argument in body.arguments]
    type_ = ir.FunctionType.get(inputs, [larger])
    function.attributes["function_type"] = ir.TypeAttr.get(type_)


def _dispatch_into(dispatch: ir.Operation, target: ir.Value) -> ir.Value:
    op = dispatch.opview
    arguments = [*op.arguments, target]
    tied = ir.IntegerAttr.get(ir.IndexType.get(), len(arguments) - 1)
    return flow.DispatchOp(
        [target.type],
        list(op.workload),
        op.entry_points,
        arguments,
        [],
        [],
        tied_operands=ir.ArrayAttr.get([tied]),
    ).results[0]
