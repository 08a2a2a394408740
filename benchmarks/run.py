# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One case, in a process of its own: loads, times and checks its modules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import iree.runtime as rt
import numpy as np

from benchmarks.device import (
    PROCESSOR,
    WALL,
    Device,
    Loaded,
    Times,
    time_chains,
    use,
)

Arrays = Sequence[tuple[np.ndarray, str]]
"""The arguments of a function, each with its element type."""


@dataclass(frozen=True)
class Found:
    """What a module gave: a result for each set of inputs, and its times."""

    results: Sequence[np.ndarray]
    times: Times


class Work(Protocol):
    """What a kind of case adds: inputs, and what is said of the results."""

    result: str
    """The element type of the result."""
    fills_memory: bool
    """Whether loading would disturb what runs at that time."""

    def inputs(self) -> Sequence[Arrays]:
        """Sets of arguments; the last one is timed."""

    def modules(self, device: Device) -> Sequence[rt.VmModule]:
        """What is loaded before each module."""

    def judge(self, found: Found) -> dict[str, Any]:
        """More columns of the row; `failure` says what is wrong, if anything."""


@dataclass(frozen=True)
class _Case:
    record: dict
    folder: Path
    device: Device
    work: Work

    def load(self, built: dict) -> Loaded:
        others = self.work.modules(self.device)
        return self.device.load(self.folder / built["file"], *others)

    def run(self, loaded: Loaded, views: list[list[Any]]) -> Found:
        call = partial(self.device.call, loaded)
        results = [self.device.get(call("r0", v), self.work.result) for v in views]
        chains = [partial(call, name, views[-1]) for name in ("r0", "r1")]
        # A machine that computes in software is shared with what else it does.
        clock = PROCESSOR if self.device.is_software else WALL
        return Found(results, time_chains(chains, self.record["counts"], clock))

    def row(self, built: dict, found: Found | str) -> dict[str, Any]:
        head = {"kind": self.record["kind"], **self.record["case"]}
        head |= {k: built[k] for k in ("who", "strategy", "config", "is_auto")}
        if isinstance(found, str):
            return head | {"failure": found}
        return head | asdict(found.times) | self.work.judge(found)


def rows_of(work: Work, path: Path, uri: str) -> Iterator[dict[str, Any]]:
    """The rows of a case, one for each module that was built."""
    record = json.loads(path.read_text())
    case = _Case(record, path.parent, Device.open(uri), work)
    inputs = work.inputs()
    with use(path.parent, alone=False) if work.fills_memory else nullcontext():
        loaded = [_unless_failed(built, case.load) for built in record["built"]]
    with use(path.parent, alone=True):
        views = [[case.device.put(*pair) for pair in arrays] for arrays in inputs]
        found = [
            module
            if isinstance(module, str)
            else _attempt("run", case.run, module, views)
            for module in loaded
        ]
    for built, what in zip(record["built"], found, strict=True):
        yield case.row(built, what)


def _unless_failed(built: dict, load: Callable[[dict], Loaded]) -> Loaded | str:
    if built["failure"]:
        return f"does not compile: {built['failure']}"
    return _attempt("load", load, built)


def _attempt(what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns, or the reason why it cannot."""
    try:
        return function(*arguments)
    except Exception as error:
        return f"does not {what}: {' '.join(str(error).split())[:200]}"
