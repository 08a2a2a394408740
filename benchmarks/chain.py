# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeats the dispatches of a program, so that a call's own cost can be subtracted.

Works on the IR at IREE's flow phase, on the dispatches of any compiler. Each result of
a product is written in place of the one before, which keeps repetitions from being
shared or moved:

    %c1 = flow.dispatch @k(%a, %b) : (A, B) -> C      becomes
    %c1 = flow.dispatch @k(%a, %b, %c0) : (A, B, C) -> %c0
    %c2 = flow.dispatch @k(%a, %b, %c1) : (A, B, C) -> %c1     and so on

That would give every tensor of a network memory of its own, which costs more than its
kernels. A network takes what it returned before as its last argument instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from iree.compiler import ir
from iree.compiler.dialects import arith, flow

_UNTIED = -1
_POISON = 0x5A5A5A5A
_ASYNC = "$async"
_ENDS = ("hal.tensor.export", "hal.tensor.barrier", "util.return")


class NotRepeatable(Exception):
    """A program whose dispatches cannot be chained: a short clause."""


def repeat(text: str, counts: Sequence[int], is_fed: bool = False) -> str:
    """The module with functions r0, r1, ... in place of its only one.

    `is_fed` is whether the last argument of a repetition is the result before.

    They take two fences more, to wait for and to signal, so that a caller can tell
    the time in which the host records dispatches from that in which they run.
    """
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(_asynchronous(text))
        ops = [view.operation for view in module.body.operations]
        public = [op for op in ops if _is_public_function(op)]
        original = _only_program(public)
        for number, count in enumerate(counts):
            _add_function(original, f"r{number}", count, is_fed)
        for op in ops:
            if op.name == "flow.executable":
                _make_writable(op)
        for function in public:
            function.erase()
        module.operation.verify()
        return str(module)


def _asynchronous(text: str) -> str:
    """The module with fences on its function, unless it has a function with them."""
    if _ASYNC in text:
        return text
    fences = "%wait: !hal.fence, %signal: !hal.fence"
    text = re.sub(r"(util\.func public @\w+\(.*?)\) ->", rf"\1, {fences}) ->", text)
    text = re.sub(r"(hal\.tensor\.import) %", r"\1 wait(%wait) => %", text)
    return re.sub(
        r"(%\w+ = hal\.tensor\.export) (%\w+)(.*?) : (tensor<[^>]*>)",
        r"%joined = hal.tensor.barrier join(\2 : \4) => %signal : !hal.fence\n"
        r"    \1 %joined\3 : \4",
        text,
    )


def _only_program(functions: list[ir.Operation]) -> ir.Operation:
    """The function that dispatches; another may call it and wait."""
    bases = {_symbol(op).removesuffix(_ASYNC) for op in functions}
    if len(bases) != 1:
        raise NotRepeatable(f"{len(bases)} public functions, expected one")
    for function in functions:
        if any(op.name == "flow.dispatch" for op in _body(function)):
            return function
    raise NotRepeatable("the program has no dispatch")


def _is_public_function(op: ir.Operation) -> bool:
    attributes = op.attributes
    if op.name != "util.func" or "sym_visibility" not in attributes:
        return op.name == "util.func"
    return ir.StringAttr(attributes["sym_visibility"]).value == "public"


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _body(function: ir.Operation) -> list[ir.Operation]:
    return [view.operation for view in function.regions[0].blocks[0].operations]


def _add_function(original: ir.Operation, name: str, count: int, is_fed: bool) -> None:
    with ir.InsertionPoint(original):
        function = original.clone().operation
    function.attributes["sym_name"] = ir.StringAttr.get(name)
    chain = _Chain.of(_body(function), is_fed)
    with ir.InsertionPoint(chain.tail[0]):
        for _ in range(count):
            chain.repeat()
    chain.finish()


@dataclass
class _Chain:
    """The repeated operations of a function and what their values stand for.

    `values` maps an original value to its latest repetition. `fed` is the argument
    that the result replaces, if there is one.
    """

    repeated: list[ir.Operation]
    tail: list[ir.Operation]
    fed: ir.Value | None
    values: dict[ir.Value, ir.Value] = field(default_factory=dict)

    @staticmethod
    def of(ops: list[ir.Operation], is_fed: bool) -> _Chain:
        """The dispatches, everything that needs one or what is fed, and the end."""
        repeated: list[ir.Operation] = []
        tail: list[ir.Operation] = []
        imports = [op.results[0] for op in ops if op.name == "hal.tensor.import"]
        fed = imports[-1] if is_fed else None
        sources = {fed} if is_fed else set()
        for op in ops:
            if op.name in _ENDS:
                tail.append(op)
            elif op.name == "flow.dispatch" or sources.intersection(op.operands):
                repeated.append(op)
                sources.update(op.results)
        return _Chain(repeated, tail, fed)

    def repeat(self) -> None:
        """One more repetition of everything, at the insertion point."""
        result = self.values.get(self.tail[0].operands[0])
        if self.fed is not None and result is not None:
            self.values[self.fed] = result
        for op in self.repeated:
            operands = [self.values.get(value, value) for value in op.operands]
            if op.name == "flow.dispatch" and self.fed is None:
                results = self._dispatch(op, operands)
            else:
                results = list(_clone(op, operands).results)
            self.values.update(zip(op.results, results, strict=True))

    def _dispatch(self, op: ir.Operation, operands: list[ir.Value]) -> list[ir.Value]:
        workload, arguments = _split_operands(op, operands)
        ties = _tied(op)
        for number, result in enumerate(op.results):
            if ties[number] == _UNTIED:
                ties[number] = len(arguments)
                arguments.append(self.values.get(result) or _poisoned(result.type))
        index = ir.IndexType.get()
        copy = flow.DispatchOp(
            [result.type for result in op.results],
            workload,
            op.attributes["entry_points"],
            arguments,
            [],
            [],
            tied_operands=ir.ArrayAttr.get(
                [ir.IntegerAttr.get(index, tie) for tie in ties]
            ),
        )
        return list(copy.results)

    def finish(self) -> None:
        """Lets the end use the last repetition, and removes the original."""
        for op in self.tail:
            for number, value in enumerate(op.operands):
                op.operands[number] = self.values.get(value, value)
        for op in reversed(self.repeated):
            op.erase()


def _clone(op: ir.Operation, operands: list[ir.Value]) -> ir.Operation:
    copy = op.clone().operation
    for number, value in enumerate(operands):
        copy.operands[number] = value
    return copy


def _split_operands(
    op: ir.Operation, operands: list[ir.Value]
) -> tuple[list[ir.Value], list[ir.Value]]:
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    if any(sizes[2:]):
        raise NotRepeatable("a dispatch has dynamic sizes")
    return operands[: sizes[0]], operands[sizes[0] :]


def _tied(op: ir.Operation) -> list[int]:
    if "tied_operands" not in op.attributes:
        return [_UNTIED] * len(op.results)
    return [
        ir.IntegerAttr(tie).value
        for tie in ir.ArrayAttr(op.attributes["tied_operands"])
    ]


def _poisoned(type_: ir.Type) -> ir.Value:
    """A tensor that no kernel leaves as it is: NaN, or a large integer."""
    element = ir.RankedTensorType(type_).element_type
    if isinstance(element, ir.IntegerType):
        value = ir.IntegerAttr.get(element, _POISON % 2 ** (element.width - 1))
    else:
        value = ir.FloatAttr.get(element, float("nan"))
    return flow.TensorSplatOp(type_, arith.constant(element, value), []).result


def _make_writable(executable: ir.Operation) -> None:
    """Lets the kernels of a flow.executable take their results as tied operands."""
    body = executable.regions[0].blocks[0]
    module = next(op for op in body.operations if op.operation.name == "builtin.module")
    for view in module.operation.regions[0].blocks[0].operations:
        function = view.operation
        if function.name != "func.func":
            continue
        block = function.regions[0].blocks[0]
        for argument in block.arguments:
            text = str(argument.type)
            if "<writeonly:" in text:
                argument.set_type(
                    ir.Type.parse(text.replace("<writeonly:", "<readwrite:"))
                )
        types = [argument.type for argument in block.arguments]
        function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [])
        )
