# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times chains of one kernel, on clocks that are up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Start = Callable[[], tuple[Any, Any]]
"""Submits work; returns its result and a fence."""

WALL, PROCESSOR, WHOLE = 0, 1, 3
_SECONDS = 0.25
_FEWEST_ROUNDS = 3
_MOST_ROUNDS = 40
# On an H200 the clock sinks while the host works, and then the same kernel took up to
# five times as long.
HEATING_SECONDS = 0.2


@dataclass(frozen=True)
class Times:
    """Seconds of a kernel: median and quartiles.

    `wall` and `processor` are the medians by either clock, `recording` that of the
    host's work before the kernel can start, `call` the median of a whole call that
    runs few kernels. `heat` is the time of the heavy call just before, always the
    same one, which would tell of a clock that sank.
    """

    seconds: float
    low: float
    high: float
    wall: float
    processor: float
    recording: float
    call: float
    heat: float


@dataclass(frozen=True)
class Timer:
    """Reads a clock, after repeating a heavy call if there is one."""

    clock: int
    heavy: Start | None = None

    def time(self, chains: Sequence[Start], counts: Sequence[int]) -> Times:
        """The difference of two chains over that of their counts."""
        few, many = chains
        for start in chains:
            _seconds(start)  # the first call prepares it
        heat = self._heat()
        rounds = []
        start = time.perf_counter()
        while len(rounds) < _MOST_ROUNDS:
            rounds.append((_seconds(few), _seconds(many)))
            is_late = time.perf_counter() - start > _SECONDS
            if is_late and len(rounds) >= _FEWEST_ROUNDS:
                break
        samples = np.array(rounds)
        kernels = (samples[:, 1] - samples[:, 0]) / (counts[1] - counts[0])
        low, median, high = np.percentile(kernels[:, self.clock], (25, 50, 75))
        medians = np.median(kernels, axis=0)[:WHOLE]
        call = np.median(samples[:, 0, WHOLE])
        return Times(*map(float, (median, low, high, *medians, call, heat)))

    def _heat(self) -> float:
        if self.heavy is None:
            return 0.0
        start = time.perf_counter()
        while time.perf_counter() - start < HEATING_SECONDS:
            last, *_ = _seconds(self.heavy)
        return last


def _seconds(start: Start) -> tuple[float, ...]:
    """Of the wall since the submission, of all processors, until then, in all.

    Recording a dispatch took the host longer than the smallest kernels run.
    """
    before, processor = time.perf_counter(), time.process_time()
    _, fence = start()
    submitted = time.perf_counter()
    fence.wait()
    end = time.perf_counter()
    whole, recording = end - before, submitted - before
    return end - submitted, time.process_time() - processor, recording, whole
