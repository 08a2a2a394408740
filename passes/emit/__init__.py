# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short IR builders that strategies share. No choices are made here."""
