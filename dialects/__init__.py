# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How decisions and products are spelled in MLIR."""
