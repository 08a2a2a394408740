# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Metal kernels on their way from the passes to the finished module."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class MslKernel:
    """MSL source text, the function in it to run, and the threads of a threadgroup."""

    text: str
    entry: str
    threads: tuple[int, int, int]


Collector = dict[str, MslKernel]  # by executable name

_active: ContextVar[Collector | None] = ContextVar("gemm_msl_collector", default=None)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Gathers what gemm-emit-msl writes while a compilation runs on this thread.

    Each thread, and each nested use, has its own: compilations do not mix.
    """
    kernels: Collector = {}
    token = _active.set(kernels)
    try:
        yield kernels
    finally:
        _active.reset(token)


def active_collector() -> Collector | None:
    """Where to hand kernels over; None where nothing would put them in the module."""
    return _active.get()


_inspecting: ContextVar[bool] = ContextVar("gemm_inspecting", default=False)


@contextmanager
def inspecting() -> Iterator[None]:
    """Lets kernels for Metal be chosen where compilation ends before they matter."""
    token = _inspecting.set(True)
    try:
        yield
    finally:
        _inspecting.reset(token)


def are_welcome() -> bool:
    """Whether kernels may be chosen that IREE's own Metal path cannot compile."""
    return _active.get() is not None or _inspecting.get()
