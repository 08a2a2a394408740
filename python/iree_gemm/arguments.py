# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands share: plugin options, and errors without a traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from iree_gemm.errors import CompileError, UsageError
from iree_gemm.options import Options


def add_plugin_options(parser: argparse.ArgumentParser) -> None:
    """Adds --plugin-option, which may be repeated."""
    parser.add_argument(
        "--plugin-option",
        dest="plugin_options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the plugin, over those in IREE_GEMM_OPTIONS: mode,"
        " matrix-hardware, strategy or report",
    )


def read_options(args: argparse.Namespace) -> Options:
    """The options of the environment, changed by those of the command line."""
    options = Options.from_env()
    for setting in args.plugin_options:
        options = options.parsed(setting)
    return options


def run_command(
    parser: argparse.ArgumentParser,
    args: argparse.Namespace,
    command: Callable[[argparse.Namespace], int],
) -> int:
    """Runs a command; a user's mistake becomes one line and exit code 1."""
    try:
        return command(args)
    except UsageError as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
    except CompileError as error:
        print(error, file=sys.stderr)
    return 1
