# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Matrix products with kernels of their own for IREE."""
