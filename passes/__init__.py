# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Passes over MLIR; the list of them is in registry.py."""
