# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures kernels side by side; `python -m benchmarks --help` says how."""
