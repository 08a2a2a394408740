# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scf dialect: branches and loops, with masks where invocations part ways."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from iree.compiler import ir

from .engine import Block, Execute, Machine, handles, unpack
from .types import FragmentType, scalar_dtype


@handles("scf.if")
def _if(op: ir.Operation, then: Block, otherwise: Block) -> Execute:
    choose = _chooser(op.results)

    def execute(machine: Machine, condition: np.ndarray) -> Any:
        here, there = machine.active(condition), machine.active(~condition)
        if not there.any():
            return unpack(machine.run(then))
        if not here.any():
            return unpack(machine.run(otherwise))
        with machine.masked(here):
            taken = machine.run(then)
        with machine.masked(there):
            others = machine.run(otherwise)
        return unpack(choose(machine, here, taken, others))

    return execute


@handles("scf.for")
def _for(op: ir.Operation, body: Block) -> Execute:
    dtype = scalar_dtype(op.operands[0].type)
    choose = _chooser(op.results)

    def execute(machine: Machine, *operands: np.ndarray) -> Any:
        bounds, carried = operands[:3], operands[3:]
        if _agree(machine, bounds):
            low, high, step = (machine.uniform(x, "a loop bound") for x in bounds)
            for i in range(low, high, step):
                carried = machine.run(body, (np.array([i], dtype), *carried))
            return unpack(carried)
        induction, high, step = bounds
        while (here := machine.active(induction < high)).any():
            with machine.masked(_mask(here)):
                following = machine.run(body, (induction, *carried))
            carried = choose(machine, here, following, carried)
            induction = induction + step
        return unpack(carried)

    return execute


@handles("scf.while")
def _while(op: ir.Operation, before: Block, after: Block) -> Execute:
    keep = _chooser(op.operands)
    choose = _chooser(op.results)

    def execute(machine: Machine, *carried: Any) -> Any:
        here, results = machine.active(np.array([True])), None
        while here.any():
            with machine.masked(_mask(here)):
                condition, *values = machine.run(before, carried)
                staying = machine.active(condition)
            previous = values if results is None else results
            results = choose(machine, here, values, previous)
            if staying.any():
                with machine.masked(_mask(staying)):
                    following = machine.run(after, results)
                carried = keep(machine, staying, following, carried)
            here = staying
        return unpack(results or ())

    return execute


def _mask(active: np.ndarray) -> np.ndarray | None:
    return None if active.all() else active


def _agree(machine: Machine, values: Sequence[np.ndarray]) -> bool:
    for value in values:
        seen = value if machine.mask is None or len(value) == 1 else value[machine.mask]
        if (seen != seen[0]).any():
            return False
    return True


def _chooser(values: Sequence[ir.Value]) -> Any:
    """Merges values of invocations here with those of the others."""
    fragments = [FragmentType.parse(value.type) is not None for value in values]

    def choose(
        machine: Machine, here: np.ndarray, mine: Sequence[Any], other: Sequence[Any]
    ) -> list[np.ndarray]:
        subgroups = machine.per_subgroup(here, "control flow") if any(fragments) else ()
        return [
            _where(subgroups if fragment else here, a, b)
            for fragment, a, b in zip(fragments, mine, other, strict=True)
        ]

    return choose


def _where(mask: np.ndarray, mine: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.where(mask.reshape(-1, *(1,) * (mine.ndim - 1)), mine, other)
