# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The errors of this package, and how an unexpected one keeps its location."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iree.compiler import ir


class GemmError(Exception):
    """A mistake in the input program, reported at its location."""

    def __init__(self, message: str, location: ir.Location) -> None:
        super().__init__(message)
        self.location = location


class UsageError(Exception):
    """A mistake in a command line, an option or an argument."""


class CompileError(Exception):
    """The compiler refused a program; the message is its diagnostics."""


class InternalError(Exception):
    """A defect of this package; the cause is the exception that it surfaced as."""

    def __init__(self, location: ir.Location) -> None:
        super().__init__("internal error")
        self.location = location


@contextmanager
def located(op: ir.Operation | ir.OpView) -> Iterator[None]:
    """Turns an unexpected exception inside into an internal error at `op`."""
    location = op.location  # taken now, since the body may erase the op
    try:
        yield
    except (GemmError, UsageError, InternalError):
        raise
    except Exception as error:
        raise InternalError(location) from error
