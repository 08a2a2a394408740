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

from benchmarks.device import Device, Loaded, use
from benchmarks.timing import PROCESSOR, Timer, Times

_HEAVY = "ceiling-fma.json"

Views = Sequence[Sequence[Any]]
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
    clock: int
    """WALL; WHOLE where the host waits for the device before it has submitted all."""

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

    def timer(self) -> Timer:
        # A machine that computes in software is shared with what else it does.
        if self.device.is_software:
            return Timer(PROCESSOR)
        record = json.loads((self.folder / _HEAVY).read_text())
        heavy = self.device.load(self.folder / record["built"][0]["file"])
        view = self.device.put(np.ones(record["ceiling"]["shape"], np.float32), "f32")
        return Timer(self.work.clock, partial(self.device.start, heavy, "r1", [view]))

    def time(self, timer: Timer, views: Views, loaded: Loaded) -> Times:
        start = partial(self.device.start, loaded)
        chains = [partial(start, name, views[-1]) for name in ("r0", "r1")]
        return timer.time(chains, self.record["counts"])

    def found(self, views: Views, timed: tuple[Loaded, Times]) -> Found:
        loaded, times = timed
        results = [self.device.call(loaded, "r0", set_) for set_ in views]
        return Found([self.device.get(r, self.work.result) for r in results], times)

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
    timer = case.timer()
    with use(path.parent, alone=True):
        views = [[case.device.put(*pair) for pair in arrays] for arrays in inputs]
        timed = [_then(partial(case.time, timer, views), module) for module in loaded]
        # Results only now: host work between measurements lets clocks sink.
        pairs = [
            times if isinstance(times, str) else (module, times)
            for module, times in zip(loaded, timed, strict=True)
        ]
        found = [_then(partial(case.found, views), pair) for pair in pairs]
    for built, what in zip(record["built"], found, strict=True):
        yield case.row(built, what)


def _then(function: Callable[..., Any], value: Any) -> Any:
    """What the function makes of a value; a reason for failing passes through."""
    return value if isinstance(value, str) else _attempt("run", function, value)


def _unless_failed(built: dict, load: Callable[[dict], Loaded]) -> Loaded | str:
    if built["failure"]:
        return f"does not compile: {built['failure']}"
    return _attempt("load", load, built)


def _attempt(what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns, or the reason why it cannot."""
    try:
        return function(*arguments)
    except Exception as error:
        return f"does not {what}: {_essence(str(error))}"


def _essence(message: str) -> str:
    """What the driver said, where it said anything."""
    text = " ".join(message.split())
    return text[max(text.find("[vk"), 0) :][:120]
