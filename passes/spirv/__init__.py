# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SPIR-V that IREE cannot write: made from what it can, and embedded as objects."""
