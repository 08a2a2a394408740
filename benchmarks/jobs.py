# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled for each kind of case: ours by every strategy, and stock IREE."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Protocol

from benchmarks.cases import Case
from benchmarks.ceilings import Ceiling
from benchmarks.chain import NotRepeatable, repeat
from benchmarks.compiler import CompileFailure, Compiler
from benchmarks.experts import Experts
from benchmarks.networks import Network, import_network
from benchmarks.programs import program
from benchmarks.variants import NotTaken, chosen, variants

_FLOW = "--compile-to=flow"
_LOWERED = ("--compile-from=preprocessing", _FLOW)

# What a chain is sized for: long against the jitter of a call, short to compile.
_SECONDS = {"gpu": 4e-3, "cpu": 100e-3}
_FEWER = {"gpu": 4, "cpu": 1}
_FEWEST_MORE = 4
_MOST_MORE = {"gpu": 160, "cpu": 300}
# Rates that size the chains, in operations and bytes a second, and the least time.
_SPEED = {
    "gpu": {"f32": 40e12, "f16": 250e12, "bf16": 250e12, "i8": 200e12, "bytes": 3e12},
    "cpu": {"f32": 8e9, "f16": 4e9, "bf16": 4e9, "i8": 8e9, "bytes": 5e9},
}
_LEAST = {"gpu": 2e-6, "cpu": 1e-4}
_EXPERTS_COUNTS = (9, 73)
_NETWORK_COUNTS = {"gpu": (1, 5), "cpu": (1, 2)}


@dataclass(frozen=True)
class Built:
    """A module in which functions r0 and r1 repeat a case; or why there is none."""

    who: str
    strategy: str = ""
    config: dict[str, Any] | None = None
    is_auto: bool = False
    file: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Tools:
    """The compiler, and what takes a module to a file among those that travel."""

    compiler: Compiler
    finish: Callable[[str], str]
    speed: str

    def built(
        self,
        built: partial[Built],
        source: tuple[str, ...],
        chain: Callable[[str], str] = str,
    ) -> Built:
        """The chain of dispatches of a module as a file, or why there is none."""
        try:
            text = self.compiler.run(*source).read_text()
            return built(file=self.finish(chain(text)))
        except (CompileFailure, NotRepeatable) as error:
            return built(failure=str(error))


class Job(Protocol):
    """A case to build. `record` is what the machine that measures has to know."""

    kind: str
    name: str

    def counts(self, speed: str) -> tuple[int, int]:
        """How often r0 and r1 run it."""

    def record(self) -> dict[str, Any]:
        """What identifies it in the results, under `case`, and how to check it."""

    def build(self, tools: Tools) -> Iterator[Built]:
        """Its modules."""


@dataclass(frozen=True)
class ProductJob:
    """A product: each strategy that can do it, or the usual one; then stock."""

    case: Case
    is_auto_only: bool = False
    kind = "kernel"

    @property
    def name(self) -> str:
        return self.case.name

    def counts(self, speed: str) -> tuple[int, int]:
        rates, case = _SPEED[speed], self.case
        arithmetic, memory = case.flops / rates[case.type], case.bytes / rates["bytes"]
        wanted = round(_SECONDS[speed] / max(arithmetic, memory, _LEAST[speed]))
        more = max(_FEWEST_MORE, min(_MOST_MORE[speed], wanted))
        return _FEWER[speed], _FEWER[speed] + more

    def record(self) -> dict[str, Any]:
        return {"case": asdict(self.case)}

    def build(self, tools: Tools) -> Iterator[Built]:
        text, chain = program(self.case), _chain(self.counts(tools.speed))
        try:
            before = tools.compiler.run(text, "--compile-to=preprocessing")
            found = variants(before.read_text())
        except (CompileFailure, NotTaken) as error:
            yield Built("ours", failure=str(error))
            found = []
        for v in found:
            if self.is_auto_only and not v.is_auto:
                continue
            built = partial(Built, "ours", v.strategy, v.config, v.is_auto)
            yield tools.built(built, (v.text, *_LOWERED), chain)
        yield tools.built(partial(Built, "stock"), (text, _FLOW), chain)


@dataclass(frozen=True)
class CeilingJob:
    """A kernel that reaches a limit of the device."""

    ceiling: Ceiling
    kind = "ceiling"

    @property
    def name(self) -> str:
        return f"ceiling-{self.ceiling.name}"

    def counts(self, speed: str) -> tuple[int, int]:
        return 4, 4 + self.ceiling.repeats

    def record(self) -> dict[str, Any]:
        c = self.ceiling
        fields = ("name", "flops", "bytes")
        return {
            "case": {"name": c.name},
            "ceiling": {f: getattr(c, f) for f in fields}
            | {"shape": c.input_shape, "type": c.input_type},
        }

    def build(self, tools: Tools) -> Iterator[Built]:
        source, chain = (self.ceiling.text, _FLOW), _chain(self.counts(tools.speed))
        yield tools.built(partial(Built, "ceiling"), source, chain)


class NetworkJob:
    """A whole network: with the plugin, then stock."""

    kind = "network"

    def __init__(self, network: Network, tools: Tools):
        self.network = network
        self.imported = import_network(network, tools.compiler.folder)

    @property
    def name(self) -> str:
        return f"network-{self.network.title}"

    def counts(self, speed: str) -> tuple[int, int]:
        return _NETWORK_COUNTS[speed]

    def record(self) -> dict[str, Any]:
        network = self.network
        fields = ("name", "type", "batch", "length")
        return {
            "case": {f: getattr(network, f) for f in fields},
            "network": asdict(network.random(self.imported.parameters)),
        }

    def build(self, tools: Tools) -> Iterator[Built]:
        chain = _chain(self.counts(tools.speed), is_fed=True)
        yield from _both(tools, self.imported.text, chain)


@dataclass(frozen=True)
class ExpertsJob:
    """Layers of experts: with the plugin, then stock."""

    experts: Experts
    kind = "experts"

    @property
    def name(self) -> str:
        return self.experts.name

    def counts(self, speed: str) -> tuple[int, int]:
        return _EXPERTS_COUNTS

    def record(self) -> dict[str, Any]:
        return {"case": asdict(self.experts)}

    def build(self, tools: Tools) -> Iterator[Built]:
        counts = enumerate(self.counts(tools.speed))
        text = "".join(self.experts.text(f"r{n}", layers) for n, layers in counts)
        yield from _both(tools, text, str, "--iree-execution-model=async-external")


def _both(
    tools: Tools, text: str, chain: Callable[[str], str], *flags: str
) -> Iterator[Built]:
    """A program with the plugin, then stock."""
    ours = partial(Built, "ours", is_auto=True)
    try:
        before = tools.compiler.run(text, *flags, "--compile-to=preprocessing")
        lowered = chosen(before.read_text())
        yield tools.built(ours, (lowered, *_LOWERED), chain)
    except (CompileFailure, NotTaken) as error:
        yield ours(failure=str(error))
    yield tools.built(partial(Built, "stock"), (text, *flags, _FLOW), chain)


def _chain(counts: tuple[int, int], is_fed: bool = False) -> Callable[[str], str]:
    return partial(repeat, counts=counts, is_fed=is_fed)
