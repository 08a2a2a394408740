# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of a `gemm.matmul`."""

LOOPS = ("batch", "m", "n", "k")
OFFSET, LOOKUP = "offset", "lookup"
"""Iterators with one index: that of an offset is its size operand, that of a lookup the
element of an operand of its own, which the kernel reads."""
SEGMENTS = ("lhs", "rhs", "extras", "lookups", "sizes")
INDEXED = (*SEGMENTS[:-1], "results")
"""The groups of values that have indexing maps, in the order of the maps."""
