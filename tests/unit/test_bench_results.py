# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of measurements: comparison, limits, the check of the choice, the report."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks.cases import GPU, QUICK, Case
from benchmarks.report import markdown
from benchmarks.results import Limits, Results, Row, read, seconds
from benchmarks.selection import violations

_CASE = Case("sweep", 64, 64, 64)


def _row(who: str, time: float, case: Case = _CASE, **more) -> Row:
    times = {"seconds": time, "low": time, "high": time, "failure": ""}
    return {"kind": "kernel", **asdict(case), "who": who, **times, **more}


def _ours(strategy: str, time: float, is_auto: bool = False, **more) -> Row:
    return _row("ours", time, strategy=strategy, is_auto=is_auto, **more)


def _ceiling(name: str, time: float, flops: int = 0, bytes_: int = 0) -> Row:
    work = {"flops": flops, "bytes": bytes_}
    return {"kind": "ceiling", "name": name, "seconds": time, "failure": "", **work}


def _results(folder: Path, *rows: Row) -> Results:
    head = {"kind": "run", "device": "a device", "date": "2026-01-01"}
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, (head, *rows))))
    return read(path)


def test_names_are_unique() -> None:
    names = [case.name for case in (*GPU, *QUICK)]
    assert len(names) == len(set(names))


def test_rows_of_a_case_are_put_side_by_side(tmp_path: Path) -> None:
    rows = (_ours("tile", 2e-3, True), _ours("split-k", 1e-3), _row("stock", 4e-3))
    [found] = _results(tmp_path, *rows).comparisons
    assert found.auto is not None
    assert found.auto["strategy"] == "tile"
    assert found.best is not None
    assert found.best["strategy"] == "split-k"
    assert found.ratio(found.stock) == pytest.approx(2.0)
    assert found.ratio(found.cublas) is None


@pytest.mark.parametrize(
    "row",
    [
        _row("stock", 1.0) | {"failure": "does not compile"},
        _row("stock", -1e-6),  # a difference lost in the noise
        None,
    ],
)
def test_no_time(row: Row | None) -> None:
    assert seconds(row) is None


def test_share_of_the_limit_that_binds() -> None:
    limits = Limits.of(
        [_ceiling("copy", 1.0, bytes_=1000), _ceiling("fma", 1.0, flops=10**4)]
    )
    long, flat = Case("sweep", 1, 1, 8), Case("sweep", 512, 512, 512)
    assert limits.share(long, long.bytes / 500) == (pytest.approx(0.5), "memory")
    assert limits.share(flat, flat.flops / 5e3) == (pytest.approx(0.5), "arithmetic")
    assert Limits({}).share(flat, 1.0) is None


def test_check_finds_a_faster_strategy(tmp_path: Path) -> None:
    rows = (_ours("tile", 2e-6, True), _ours("split-k", 1e-6))
    [line] = violations(_results(tmp_path, *rows).comparisons)
    assert line == "sweep-64x64x64-f32-nn: tile 2.0 us, split-k 1.0 us: 100% more"


def test_check_allows_what_is_close(tmp_path: Path) -> None:
    rows = (_ours("tile", 1.04e-6, True), _ours("split-k", 1e-6))
    assert not list(violations(_results(tmp_path, *rows).comparisons))


def test_check_allows_what_may_be_noise(tmp_path: Path) -> None:
    spread = _ours("tile", 1.2e-6, True) | {"low": 0.9e-6}
    rows = (spread, _ours("split-k", 1e-6))
    assert not list(violations(_results(tmp_path, *rows).comparisons))


def test_check_finds_a_choice_that_fails(tmp_path: Path) -> None:
    wrong = _ours("tile", 1e-6, True) | {"failure": "wrong result"}
    rows = (wrong, _ours("split-k", 2e-6))
    [line] = violations(_results(tmp_path, *rows).comparisons)
    assert line == "sweep-64x64x64-f32-nn: tile fails, split-k 2.0 us"


def test_report_tells_what_failed(tmp_path: Path) -> None:
    rows = (
        _ceiling("copy", 1e-3, bytes_=10**9),
        _ours("tile", 1e-6, True),
        _row("stock", 0.0) | {"failure": "does not load: no pipeline"},
    )
    text = markdown(_results(tmp_path, *rows), ["roofline.svg"])
    assert "![roofline](roofline.svg)" in text
    assert "| 64x64x64 | f32 to f32 | tile | 1.0 |" in text
    assert "1 products; stock IREE fails on 1" in text
    assert "| sweep-64x64x64-f32-nn | stock |  | does not load: no pipeline |" in text
