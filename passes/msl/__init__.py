# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Kernel IR (gpu, memref, vector, scf, arith, math) as Metal Shading Language text."""
