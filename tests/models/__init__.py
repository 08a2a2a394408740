# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real models, small: what their users write, as MLIR with a NumPy reference."""
