# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def write_report(module, path): pass
