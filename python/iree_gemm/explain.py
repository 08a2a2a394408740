# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of each product of a model what becomes of it, and why."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from iree_gemm import api
from iree_gemm.options import Options
from iree_gemm.report import Row, read_report, render_table, write_report


def explain(
    source: str | bytes | Path,
    *,
    target: str = "default",
    options: Options | None = None,
) -> list[Row]:
    """One row a product of a program in any form that iree-compile takes."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        settings = (options or Options.from_env()).replace(report=str(report))
        stop = ("--compile-to=preprocessing",)
        api.compile(source, target=target, options=settings, extra_args=stop)
        return read_report(report)


def main(args: argparse.Namespace) -> int:
    """The `explain` command: prints a table, or JSON; with `report` a file too."""
    source = sys.stdin.buffer.read() if args.input == "-" else Path(args.input)
    rows = explain(source, target=args.target, options=args.options)
    if (path := args.options.report) is not None:
        write_report(rows, path)
    if args.format == "json":
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        print(render_table(rows))
    return 0
