# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of cases that are built together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks import ceilings, networks
from benchmarks.cases import GPU, QUICK, Case
from benchmarks.ceilings import Ceiling
from benchmarks.experts import EXPERTS, Experts
from benchmarks.jobs import CeilingJob, ExpertsJob, Job, NetworkJob, ProductJob, Tools
from benchmarks.neighbors import shapes_of_tests
from benchmarks.networks import Network

_LEAST_FLOPS = 10**5


@dataclass(frozen=True)
class CaseSet:
    """What is measured together; `speed` is of the device that it is for."""

    speed: str
    products: tuple[Case, ...]
    ceilings: Callable[[], Iterable[Ceiling]]
    networks: Callable[[], Iterable[Network]]
    experts: tuple[Experts, ...] = ()
    is_auto_only: bool = False

    def jobs(self, tools: Tools, words: tuple[str, ...] = ()) -> Iterator[Job]:
        """Those whose names begin with one of the words; all where there are none."""
        for ceiling in self.ceilings():
            yield CeilingJob(ceiling)
        for network in self.networks():
            if _is_wanted(f"network-{network.title}", words):
                yield NetworkJob(network, tools)
        for experts in self.experts:
            if _is_wanted(experts.name, words):
                yield ExpertsJob(experts)
        for case in self.products:
            if _is_wanted(case.name, words):
                yield ProductJob(case, self.is_auto_only)


def _is_wanted(name: str, words: tuple[str, ...]) -> bool:
    return not words or name.startswith(words)


def shapes() -> tuple[Case, ...]:
    """Those of the tests that take longer than their dispatch."""
    listed = shapes_of_tests()
    found = (*listed.TILES, *listed.LARGE, *listed.BATCHED)
    cases = (Case("shapes", s.m, s.n, s.k, batch=s.batch or 1) for s in found)
    return tuple(case for case in cases if case.flops >= _LEAST_FLOPS)


SETS = {
    "gpu": CaseSet("gpu", GPU, ceilings.gpu, networks.gpu, EXPERTS),
    "quick": CaseSet("cpu", QUICK, ceilings.cpu, networks.cpu),
    "shapes": CaseSet("cpu", shapes(), ceilings.cpu, networks.cpu, is_auto_only=True),
}
