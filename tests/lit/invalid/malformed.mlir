// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -f %t.out %t.vmfb
// RUN: not iree-gemm-opt %s -o %t.out 2>&1 | filecheck %s
// RUN: not test -e %t.out
// RUN: not iree-gemm-opt --split-input-file %s 2>/dev/null | not grep module
// RUN: not iree-gemm-opt --split-input-file %s 2>&1 | filecheck %s
// RUN: not iree-gemm compile --iree-hal-target-device=vulkan %s -o %t.vmfb 2>&1 \
// RUN:   | filecheck %s
// RUN: not test -e %t.vmfb

util.func public @right() {
  util.return
}

// -----

// The line is that of the file, also in a later part of it.
// CHECK: malformed.mlir:20:15: error: use of undeclared SSA value name
util.func public @wrong() -> index {
  util.return %undefined : index
}
