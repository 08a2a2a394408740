# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""iree-gemm: compile, explain, doctor and plugin-path."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence

from iree_gemm import __version__
from iree_gemm.arguments import add_plugin_options, read_options, run_command
from iree_gemm.paths import plugin_path

_COMPILE_HELP = "run iree-compile with the plugin loaded and active"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    parser = _parser()
    args, rest = parser.parse_known_args(argv)
    if rest and args.command is not _compile:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    args.rest = rest
    return run_command(parser, args, args.command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="iree-gemm",
        description="Compiles programs with kernels of their own for matrix products.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_compile(commands)
    _add_explain(commands)
    doctor = commands.add_parser("doctor", help="check each part of the installation")
    doctor.set_defaults(command=_doctor)
    path = commands.add_parser("plugin-path", help="print what iree-compile loads")
    path.set_defaults(command=_plugin_path)
    return parser


def _add_compile(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "compile",
        help=_COMPILE_HELP,
        description=f"{_COMPILE_HELP}; all other arguments are those of iree-compile"
        " (see iree-compile --help)",
        usage="iree-gemm compile [--plugin-option NAME=VALUE] ARGUMENT...",
        allow_abbrev=False,
    )
    add_plugin_options(parser)
    parser.set_defaults(command=_compile)


def _add_explain(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "explain", help="show what happens to each matrix product, and why"
    )
    parser.add_argument("input", help="MLIR file, or - for the standard input")
    parser.add_argument("--target", default="default", help="device to compile for")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    add_plugin_options(parser)
    parser.set_defaults(command=_explain)


# The commands import what they need themselves: compile has to set the environment
# before the compiler is loaded, and plugin-path is called by other programs' builds.


def _compile(args: argparse.Namespace) -> int:
    from iree_gemm import compiler, metal, metal_kernels

    run = functools.partial(compiler.run_with_plugin, options=read_options(args))
    if metal.needs_two_runs(args.rest):
        return metal.compile_with_msl(args.rest, run)
    if metal.ends_before_kernels(args.rest):
        with metal_kernels.inspecting():
            return run(args.rest)
    return run(args.rest)


def _explain(args: argparse.Namespace) -> int:
    from iree_gemm import explain

    args.options = read_options(args)
    return explain.main(args)


def _doctor(args: argparse.Namespace) -> int:
    from iree_gemm import doctor

    return doctor.main()


def _plugin_path(args: argparse.Namespace) -> int:
    print(plugin_path())
    return 0


if __name__ == "__main__":
    sys.exit(main())
