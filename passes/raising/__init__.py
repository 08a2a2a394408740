# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matching of matrix products and of what folds into them; changes no IR."""
