# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of cases that are built together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks import ceilings, networks
from benchmarks.cases import GPU, QUICK, Case
from benchmarks.ceilings import Ceiling
from benchmarks.jobs import CeilingJob, Job, NetworkJob, ProductJob, Tools
from benchmarks.networks import Network


@dataclass(frozen=True)
class CaseSet:
    """Products, ceilings and networks; `speed` is of the device they are for."""

    speed: str
    products: tuple[Case, ...]
    ceilings: Callable[[], Iterable[Ceiling]]
    networks: Callable[[], Iterable[Network]]

    def jobs(self, tools: Tools, words: tuple[str, ...] = ()) -> Iterator[Job]:
        """Those whose names begin with one of the words; all where there are none."""
        for ceiling in self.ceilings():
            yield CeilingJob(ceiling)
        for network in self.networks():
            if _is_wanted(f"network-{network.title}", words):
                yield NetworkJob(network, tools)
        for case in self.products:
            if _is_wanted(case.name, words):
                yield ProductJob(case)


def _is_wanted(name: str, words: tuple[str, ...]) -> bool:
    return not words or name.startswith(words)


SETS = {
    "gpu": CaseSet("gpu", GPU, ceilings.gpu, networks.gpu),
    "quick": CaseSet("cpu", QUICK, ceilings.cpu, networks.cpu),
}
