# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The strategies; `table.py` holds their order and the choice."""
