# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds, measures and reports; each step can run on a machine of its own."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.cases import Case

FOLDER = Path("build") / "bench"


def main() -> int:
    """Runs the command and returns its exit code."""
    args = _parser().parse_args()
    return args.run(args) or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True)
    _add_build(commands)
    _add_measure(commands)
    case = commands.add_parser("case", help="one case of measure")
    case.add_argument("path", type=Path)
    case.add_argument("--device", default="vulkan")
    case.set_defaults(run=_case)
    ggml = commands.add_parser("ggml", help="ggml's part of measure")
    ggml.add_argument("folder", type=Path)
    ggml.set_defaults(run=_measure_ggml)
    report = commands.add_parser("report", help="tables and pictures of a run")
    report.add_argument("rows", type=Path, help="rows.jsonl; the report goes beside it")
    report.set_defaults(run=_report)
    check = commands.add_parser("check", help="whether the fastest strategy is chosen")
    check.add_argument("rows", type=Path)
    check.set_defaults(run=_check)
    local = commands.add_parser("local", help="ours beside stock on this machine")
    local.add_argument("--target", default="llvmpipe")
    local.add_argument("--device", default="vulkan")
    local.set_defaults(run=_local)
    return parser


def _add_build(commands: Any) -> None:
    build = commands.add_parser("build", help="compile the cases; needs no device")
    build.add_argument("--target", default="ampere")
    build.add_argument("--set", default="gpu", choices=("gpu", "quick", "shapes"))
    build.add_argument("--only", default="", help="beginnings of names, with commas")
    build.add_argument("--workers", type=int, default=2)
    build.add_argument("--folder", type=Path)
    build.set_defaults(run=_build)


def _add_measure(commands: Any) -> None:
    measure = commands.add_parser("measure", help="time what was built")
    measure.add_argument("folder", type=Path)
    measure.add_argument("-o", dest="output", type=Path, required=True)
    measure.add_argument("--device", default="vulkan")
    measure.add_argument("--workers", type=int, default=1, help="loading at once")
    measure.add_argument("--seconds", type=float, default=600.0, help="then stop")
    measure.add_argument("--case-seconds", type=float, default=90.0)
    measure.set_defaults(run=_measure)


def _build(args: argparse.Namespace) -> None:
    from benchmarks.build import Builder
    from benchmarks.compiler import Compiler
    from benchmarks.sets import SETS

    chosen = SETS[args.set]
    compiler = Compiler(args.target, FOLDER / "compiler")
    folder = args.folder or FOLDER / args.target
    builder = Builder(compiler, folder, chosen.speed)
    words = tuple(filter(None, args.only.split(",")))
    builder.build(chosen.jobs(builder.tools, words), args.workers)


def _measure(args: argparse.Namespace) -> None:
    from benchmarks.device import describe
    from benchmarks.measure import Plan, measure

    about = json.loads((args.folder / "modules" / "about.json").read_text())
    head = {"kind": "run", **_occasion(), **describe(args.device), **about}
    limits = (args.seconds, args.case_seconds)
    plan = Plan(args.folder, args.device, args.workers, *limits)
    rows = (*_cublas(args.folder, head), *_ggml(args.folder, head), measure(plan))
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with args.output.open("w") as file:
        for row in _chain([head], *rows):
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(_line(row), flush=True)


def _cublas(folder: Path, head: dict[str, Any]) -> Iterator[Iterable[dict[str, Any]]]:
    """The rows of cuBLAS, where PyTorch has a device; its versions go to the head."""
    from benchmarks import cublas

    if cublas.is_available():
        head |= cublas.version()
        yield cublas.measure(_products(folder))


def _ggml(folder: Path, head: dict[str, Any]) -> Iterator[Iterable[dict[str, Any]]]:
    """The rows of ggml, in a process of its own, since it ends that where it fails."""
    from benchmarks import ggml

    if ggml.is_available():
        head |= ggml.version()
        command = [sys.executable, "-m", "benchmarks", "ggml", str(folder)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        yield [json.loads(line) for line in done.stdout.splitlines()]


def _products(folder: Path) -> list[Case]:
    """The products that were built, in order."""
    from benchmarks.cases import Case

    records = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    records.sort(key=lambda record: record["order"])
    return [Case(**r["case"]) for r in records if r["kind"] == "kernel"]


def _chain(*parts: Iterable[Any]) -> Iterator[Any]:
    for part in parts:
        yield from part


def _occasion() -> dict[str, str]:
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
    return {"date": datetime.date.today().isoformat(), "command": command}


def _line(row: dict[str, Any]) -> str:
    """A row for people."""
    names = [str(row[k]) for k in ("group", "name", "m", "n", "k", "type") if k in row]
    names += [
        str(row[k]) for k in ("layout", "epilogue", "who", "strategy") if row.get(k)
    ]
    time = f"{row['seconds'] * 1e6:.1f} us" if "seconds" in row else ""
    return " ".join([row["kind"], *names, time, row.get("failure", "")])


def _case(args: argparse.Namespace) -> None:
    from benchmarks.run import rows_of
    from benchmarks.work import work_of

    for row in rows_of(work_of(args.path), args.path, args.device):
        print(json.dumps(row), flush=True)


def _measure_ggml(args: argparse.Namespace) -> None:
    from benchmarks import ggml

    for row in ggml.measure(_products(args.folder)):
        print(json.dumps(row), flush=True)


def _report(args: argparse.Namespace) -> None:
    from benchmarks.plots import draw_all
    from benchmarks.report import markdown
    from benchmarks.results import read

    results = read(args.rows)
    folder = args.rows.parent
    pictures = draw_all(results, folder)
    (folder / "README.md").write_text(markdown(results, pictures))


def _check(args: argparse.Namespace) -> int:
    from benchmarks.results import read
    from benchmarks.selection import violations

    found = list(violations(read(args.rows).comparisons))
    print("\n".join(found) or "the fastest strategy is chosen for every product")
    return 1 if found else 0


def _local(args: argparse.Namespace) -> None:
    from benchmarks import local
    from benchmarks.results import read

    args.folder = local.build(args.target, FOLDER)
    args.rows = args.output = args.folder / "report" / "rows.jsonl"
    args.workers, args.seconds, args.case_seconds = 1, math.inf, 600.0
    _measure(args)
    _report(args)
    print("\n".join(local.summary(read(args.rows))))
    print(local.compile_line(args.target, FOLDER / "compiler"))


if __name__ == "__main__":
    sys.exit(main())
