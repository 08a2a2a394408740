# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the plugin adds to the time in which a network compiles."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iree.compiler.tools import binaries

from benchmarks.networks import Network, import_network
from iree_gemm.paths import plugin_path
from iree_gemm.targets import compiler_flags

_ROUNDS = 3
_LENGTH = 16


@dataclass(frozen=True)
class Seconds:
    """Of the wall and of all processors: the least of several rounds."""

    wall: float
    processor: float


def measure(target: str, folder: Path) -> tuple[Seconds, Seconds]:
    """MiniLM with the plugin, and with the stock compiler."""
    network = Network("minilm-l6", 6, 384, length=_LENGTH)
    source = folder / f"{network.title}.mlir"
    source.write_text(import_network(network, folder).text)
    stock = [binaries.find_tool("iree-compile"), *compiler_flags(target)]
    ours = [*stock, f"--iree-load-plugin={plugin_path()}", "--iree-plugin=gemm"]
    rounds = [[_seconds(c, source) for c in (ours, stock)] for _ in range(_ROUNDS)]
    ours_rounds, stock_rounds = zip(*rounds, strict=True)
    return _least(ours_rounds), _least(stock_rounds)


def _least(rounds: Sequence[Seconds]) -> Seconds:
    return Seconds(min(r.wall for r in rounds), min(r.processor for r in rounds))


def _seconds(command: Sequence[str], source: Path) -> Seconds:
    start, before = time.perf_counter(), _processor()
    arguments = [*command, str(source), "-o", os.devnull]
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return Seconds(time.perf_counter() - start, _processor() - before)


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
