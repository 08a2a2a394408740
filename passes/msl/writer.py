# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The text of one kernel while it is written, and the names of its values."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from iree.compiler import ir

from iree_gemm.errors import GemmError
from iree_gemm.passes.msl.types import UnsupportedError, msl_type


@dataclass(frozen=True)
class Memory:
    """A memref in MSL: a pointer or an array, and its extents as expressions.

    `space` is device, threadgroup or thread.
    """

    name: str
    space: str
    element: ir.Type
    sizes: tuple[str, ...]
    writable: bool = True

    def offset(self, indices: Iterable[str]) -> str:
        """The row-major position of an element, in elements."""
        text = "0u"
        for index, size in zip(indices, self.sizes, strict=True):
            if text == "0u":
                text = index
            else:
                scaled = f"{in_parentheses(text)} * {size}"
                text = scaled if index == "0u" else f"{scaled} + {index}"
        return text


def in_parentheses(text: str) -> str:
    """An operand of a product; a single name or literal stays bare."""
    return f"({text})" if " " in text else text


Emitter = Callable[["Writer", ir.Operation], None]


@dataclass
class Writer:
    """Collects lines; every SSA value becomes a named local, a literal or an alias."""

    emitters: Mapping[str, Emitter]
    lines: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)  # threadgroup memory, at the top
    names: dict[ir.Value, str] = field(default_factory=dict)
    memories: dict[ir.Value, Memory] = field(default_factory=dict)
    bindings: dict[int, str] = field(default_factory=dict)
    constants: dict[int, str] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    workgroup_size: tuple[int, int, int] = (1, 1, 1)
    read_only: frozenset[int] = frozenset()
    array_bytes: int = 0
    depth: int = 1
    _counter: int = 0

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    @contextmanager
    def braces(self, head: str, tail: str = "") -> Iterator[None]:
        """An indented block."""
        self.line(f"{head} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}" + tail)

    def fresh(self, prefix: str = "v") -> str:
        self._counter += 1
        return f"{prefix}{self._counter}"

    def alias(self, value: ir.Value, text: str) -> None:
        """Lets a value be called by a literal or by another value's name."""
        self.names[value] = text

    def define(self, value: ir.Value, expression: str, prefix: str = "v") -> str:
        """Declares the local that holds a value."""
        name = self.fresh(prefix)
        self.line(f"const {msl_type(value.type)} {name} = {expression};")
        self.names[value] = name
        return name

    def declare(
        self, value: ir.Value, initial: str | None = None, prefix: str = "v"
    ) -> str:
        """Declares a variable that later lines assign."""
        name = self.fresh(prefix)
        tail = f" = {initial}" if initial is not None else ""
        self.line(f"{msl_type(value.type)} {name}{tail};")
        self.names[value] = name
        return name

    def name(self, value: ir.Value) -> str:
        return self.names[value]

    def operands(self, op: ir.Operation) -> list[str]:
        return [self.names[operand] for operand in op.operands]

    def helper(self, name: str) -> str:
        """The name of a function that the kernel's text must bring along."""
        self.helpers.add(name)
        return name

    def parameter(self, name: str) -> str:
        """The name of a built-in kernel parameter."""
        self.parameters.add(name)
        return name

    def block(self, block: ir.Block) -> None:
        """The operations of a block up to its terminator."""
        operations = list(block.operations)
        for op in operations[:-1]:
            self.operation(op.operation)

    def operation(self, op: ir.Operation) -> None:
        emitter = self.emitters.get(op.name)
        if emitter is None:
            message = f"{op.name} has no counterpart in the Metal kernel language"
            raise GemmError(message, op.location)
        try:
            emitter(self, op)
        except UnsupportedError as error:
            raise GemmError(f"{op.name}: {error}", op.location) from error
