# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what was built, one process a case, on the machine it runs on."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Plan:
    """Where the modules are and how they are measured."""

    folder: Path
    uri: str
    workers: int = 1
    seconds: float = 600.0
    case_seconds: float = 90.0


def measure(plan: Plan) -> Iterator[dict[str, Any]]:
    """A row for each module of each case, in the order in which they were built.

    A case has a process of its own, since drivers crash and hang: those are rows too.
    Modules load side by side; a lock keeps the device to one case at a time. Kinds of
    cases follow one another, so that large weights do not arrive while kernels run.
    """
    paths = list(plan.folder.glob("*.json"))
    records = [json.loads(path.read_text()) | {"path": path} for path in paths]
    records.sort(key=lambda record: record["order"])
    end = time.monotonic() + plan.seconds
    with ThreadPoolExecutor(plan.workers) as pool:
        for _, group in itertools.groupby(records, lambda record: record["kind"]):
            for rows in pool.map(partial(_in_process, plan, end), group):
                yield from rows


def _in_process(plan: Plan, end: float, record: dict) -> list[dict[str, Any]]:
    left = end - time.monotonic()
    if left <= 0:
        return [_failed(record, "not measured: out of time")]
    path = str(record["path"])
    command = [sys.executable, "-m", "benchmarks", "case", path, "--device", plan.uri]
    limit = min(plan.case_seconds, max(left, 5))
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            env=_limited_threads(plan.workers),
        )
    except subprocess.TimeoutExpired as error:
        return [*_rows(error.stdout), _failed(record, f"no end within {limit:.0f} s")]
    if done.returncode == 0:
        return _rows(done.stdout)
    reason = done.stderr.strip().rpartition("\n")[2][:200]
    failure = f"exit code {done.returncode}: {reason}"
    return [*_rows(done.stdout), _failed(record, failure)]


def _limited_threads(workers: int) -> dict[str, str]:
    """An environment in which NumPy leaves processors to the other cases."""
    threads = max(1, (os.cpu_count() or 1) // (2 * workers))
    return {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}


def _rows(output: str | bytes | None) -> list[dict[str, Any]]:
    text = output.decode() if isinstance(output, bytes) else output or ""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _failed(record: dict, reason: str) -> dict[str, Any]:
    return {"kind": record["kind"], **record["case"], "failure": reason}
