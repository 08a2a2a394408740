# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decodes operations once and runs them on all invocations of a workgroup at a time.

Every value is an array whose leading axis is the invocation (for fragments the
subgroup). A leading axis of 1 is a value that all of them share.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from iree.compiler import ir

Execute = Callable[..., Any]

HANDLERS: dict[str, Callable[..., Execute]] = {}
"""By operation name: `handler(op, *regions)` decodes it and returns what executes it,
which is called as `execute(machine, *operands)` and returns the result or all results.
"""

TERMINATORS = frozenset(
    (
        "scf.yield",
        "scf.condition",
        "linalg.yield",
        "func.return",
        "util.return",
        "hal.return",
    )
)


class KernelError(Exception):
    """A kernel did what no kernel may do; the message ends with the operation."""


def handles(*names: str) -> Callable[[Callable[..., Execute]], Callable[..., Execute]]:
    """Registers the decorated function as the handler of operations."""

    def register(handler: Callable[..., Execute]) -> Callable[..., Execute]:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


@dataclass(frozen=True)
class Step:
    """One decoded operation; operands and results are slots of the environment."""

    execute: Execute
    operands: tuple[int, ...]
    results: tuple[int, ...]
    op: ir.Operation


@dataclass(frozen=True)
class Block:
    """A decoded block. `outputs` are the operands of its terminator."""

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]


class Decoder:
    """Gives every value of a function a slot."""

    def __init__(self) -> None:
        self.slots: dict[ir.Value, int] = {}

    def block(self, block: ir.Block) -> Block:
        """Decodes a block and everything nested in it."""
        arguments = self._slots(block.arguments)
        steps, outputs = [], ()
        for op in (view.operation for view in block.operations):
            if op.name in TERMINATORS:
                outputs = self._slots(op.operands)
            else:
                steps.append(self._step(op))
        return Block(arguments, tuple(steps), outputs)

    def _step(self, op: ir.Operation) -> Step:
        if op.name not in HANDLERS:
            raise KernelError(f"the interpreter does not know {op.name}: {_text(op)}")
        regions = [
            self.block(region.blocks[0]) if len(region.blocks) else Block((), (), ())
            for region in op.regions
        ]
        try:
            execute = HANDLERS[op.name](op, *regions)
        except ValueError as error:
            raise KernelError(f"{error}: {_text(op)}") from error
        return Step(execute, self._slots(op.operands), self._slots(op.results), op)

    def _slots(self, values: Sequence[ir.Value]) -> tuple[int, ...]:
        return tuple(self.slots.setdefault(value, len(self.slots)) for value in values)


def _text(op: ir.Operation) -> str:
    return f"{str(op).splitlines()[0]} at {op.location}"


@dataclass
class Machine:
    """Runs blocks for a group of invocations; the host is a group of one.

    `mask` holds the invocations that are active, or None where all of them are.
    `name` says in errors which group it was.
    """

    environment: list[Any]
    invocations: int = 1
    subgroup_size: int = 32
    name: str = "the host"
    mask: np.ndarray | None = None

    def run(self, block: Block, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Executes a block and returns what its terminator passes on."""
        environment = self.environment
        for slot, argument in zip(block.arguments, arguments, strict=True):
            environment[slot] = argument
        for step in block.steps:
            try:
                values = step.execute(self, *[environment[i] for i in step.operands])
            except KernelError:
                raise
            except Exception as error:
                text = f"{error}: {_text(step.op)} in {self.name}"
                raise KernelError(text) from error
            if len(step.results) == 1:
                environment[step.results[0]] = values
            else:
                for slot, value in zip(step.results, values or (), strict=True):
                    environment[slot] = value
        return tuple(environment[slot] for slot in block.outputs)

    @contextmanager
    def masked(self, mask: np.ndarray | None) -> Iterator[None]:
        """Narrows the active invocations."""
        outer, self.mask = self.mask, mask
        try:
            yield
        finally:
            self.mask = outer

    def active(self, condition: np.ndarray) -> np.ndarray:
        """The active invocations where a condition holds, one entry each."""
        everywhere = np.broadcast_to(condition, (self.invocations,))
        return everywhere if self.mask is None else everywhere & self.mask

    def uniform(self, value: np.ndarray, what: str) -> int:
        """The one value that all active invocations agree on."""
        if len(value) > 1 and self.mask is not None:
            value = value[self.mask]
        if len(value) > 1 and not (value == value[0]).all():
            raise ValueError(f"{what} differs between invocations")
        return value[0].item()

    @property
    def subgroups(self) -> int:
        """How many subgroups the workgroup has."""
        return -(-self.invocations // self.subgroup_size)

    def active_subgroups(self) -> np.ndarray:
        """Which subgroups are active, for operations that take whole subgroups."""
        if self.invocations % self.subgroup_size:
            raise ValueError(f"subgroups of {self.subgroup_size} are not full")
        if self.mask is None:
            return np.ones(self.subgroups, bool)
        active = self.mask.reshape(self.subgroups, self.subgroup_size)
        if (active.any(1) != active.all(1)).any():
            raise ValueError("only part of a subgroup gets here")
        return active[:, 0]

    def per_subgroup(self, value: np.ndarray, what: str) -> np.ndarray:
        """Turns a value that each active subgroup agrees on into one a subgroup."""
        active = self.active_subgroups()
        if len(value) == 1:
            return value
        value = value.reshape(self.subgroups, self.subgroup_size, *value.shape[1:])
        if (value != value[:, :1])[active].any():
            raise ValueError(f"{what} differs within a subgroup")
        return value[:, 0]


def unpack(values: Sequence[Any]) -> Any:
    """The form in which an operation with these results returns them."""
    return values[0] if len(values) == 1 else tuple(values)
