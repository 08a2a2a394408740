# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""iree-gemm-opt: runs named passes over MLIR text, for tests and for people."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from iree.compiler import ir

from iree_gemm.arguments import add_plugin_options, read_options, run_command
from iree_gemm.errors import UsageError
from iree_gemm.metal_kernels import inspecting
from iree_gemm.options import Options
from iree_gemm.passes import driver
from iree_gemm.passes.registry import PASSES
from iree_gemm.targets import assign_device

_SEPARATOR = "// -----\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    parser = _parser()
    return run_command(parser, parser.parse_args(argv), _run)


def _parser() -> argparse.ArgumentParser:
    names = "".join(f"\n  {name}" for name in PASSES)
    parser = argparse.ArgumentParser(
        prog="iree-gemm-opt",
        description="Runs passes over MLIR and prints the result.",
        epilog=f"passes:{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("input", help="MLIR file, or - for the standard input")
    parser.add_argument("-o", dest="output", type=Path, help="file for the result")
    parser.add_argument("--passes", default="", help="names, separated by commas")
    parser.add_argument("--target", help="device to put on a module that has none")
    parser.add_argument(
        "--split-input-file",
        action="store_true",
        help="take the parts between lines of // ----- as modules of their own",
    )
    add_plugin_options(parser)
    return parser


def _run(args: argparse.Namespace) -> int:
    driver.check_names(_passes(args))
    options = read_options(args)
    text = _read(args.input)
    parts = _split(text) if args.split_input_file else [text]
    results = [_process(part, args, options) for part in parts]
    outputs = [result for result in results if result is not None]
    if len(outputs) < len(results):
        return 1
    _write(_SEPARATOR.join(outputs), args.output)
    return 0


def _passes(args: argparse.Namespace) -> list[str]:
    return [name for name in args.passes.split(",") if name]


def _read(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read '{path}': it is not text") from None


def _write(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UsageError(f"cannot write '{path}': {error.strerror}") from None


def _split(text: str) -> list[str]:
    parts, lines = [], 0
    for part in text.split(_SEPARATOR):
        # Blank lines before a part keep its line numbers those of the file.
        parts.append("\n" * lines + part)
        lines += part.count("\n") + 1
    return parts


def _process(text: str, args: argparse.Namespace, options: Options) -> str | None:
    """The text after all passes, or nothing when an error has been reported."""
    with ir.Context() as context, inspecting():
        context.allow_unregistered_dialects = True
        report = functools.partial(_report, args.input)
        handler = context.attach_diagnostic_handler(report)
        try:
            module = ir.Module.parse(text)
            if args.target:
                assign_device(module, args.target)
            for name in _passes(args):
                if not driver.run_pass(name, module.operation, options):
                    return None
            module.operation.verify()
            return f"{module}\n"
        except ir.MLIRError as error:
            for diagnostic in error.error_diagnostics:
                report(diagnostic)
            return None
        finally:
            handler.detach()


def _report(path: str, diagnostic: ir.Diagnostic | ir.DiagnosticInfo) -> bool:
    """Prints a diagnostic as a compiler does; true, since it is dealt with."""
    severity = str(diagnostic.severity).rpartition(".")[2].lower()
    location = str(diagnostic.location)[len("loc(") : -1].replace('"-":', f"{path}:")
    print(f"{location}: {severity}: {diagnostic.message}", file=sys.stderr)
    for note in diagnostic.notes:
        _report(path, note)
    return True
