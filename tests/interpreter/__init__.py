# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes gpu-level kernel IR on NumPy, a workgroup at a time: tests without a GPU.

`engine` decodes and runs operations, `memory` models bytes that invocations share, and
the other modules give operations their meaning, one dialect (or part of one) each.
"""

from .dispatch import count_workgroups, run_dispatch
from .engine import KernelError
from .host import run_function

__all__ = ["KernelError", "count_workgroups", "run_dispatch", "run_function"]
