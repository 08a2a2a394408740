# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same products by cuBLAS, through PyTorch and CUDA graphs, where both exist.

f32 without TF32; results in the type of the inputs, as PyTorch's users have them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.timing import HEATING_SECONDS

try:
    import torch
except ImportError:
    torch = None

_SECONDS = 6e-3
_REPLAYS = 11
_FEWEST, _MOST = 5, 200
_EPILOGUES = ("none", "bias", "residual")


def is_available() -> bool:
    return torch is not None and torch.cuda.is_available()


def measure(cases: Iterable[Case]) -> Iterator[dict[str, Any]]:
    """A row for each case that one call of cuBLAS computes."""
    torch.backends.cuda.matmul.allow_tf32 = False
    for case in cases:
        if case.type == "i8" or case.epilogue not in _EPILOGUES:
            continue
        yield {"kind": "kernel", **asdict(case), "who": "cublas"} | _measured(case)


def version() -> dict[str, str]:
    return {"torch": torch.__version__, "cuda": torch.version.cuda}


def _measured(case: Case) -> dict[str, Any]:
    try:
        quartiles = _quartiles(_product(case))
    except Exception as error:
        torch.cuda.empty_cache()
        return {"failure": " ".join(str(error).split())[:200]}
    return case.columns(quartiles) | {"failure": ""}


def _product(case: Case) -> Callable[[], Any]:
    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    a, b, *extra = (
        torch.randn(shape, device="cuda", dtype=dtype[case.type])
        for shape in case.shapes
    )
    a = a if case.layout[0] == "n" else a.mT
    b = b if case.layout[1] == "n" else b.mT
    if extra:
        out = torch.empty(case.m, case.n, device="cuda", dtype=a.dtype)
        return lambda: torch.addmm(extra[0], a, b, out=out)
    out = torch.matmul(a, b)
    return lambda: torch.matmul(a, b, out=out)


def _quartiles(function: Callable[[], Any]) -> list[float]:
    """Seconds of one call, from the replays of a graph of many."""
    for _ in range(3):
        function()
    once = _seconds(function)
    count = max(_FEWEST, min(_MOST, round(_SECONDS / once)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            function()
    start = time.perf_counter()
    while time.perf_counter() - start < HEATING_SECONDS:
        _seconds(graph.replay)
    samples = [_seconds(graph.replay) / count for _ in range(_REPLAYS)]
    return [float(s) for s in np.percentile(samples, (25, 50, 75))]


def _seconds(function: Callable[[], Any]) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    function()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e-3
