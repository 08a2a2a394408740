// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not iree-gemm-opt --plugin-option=speed=high %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=NAME
// RUN: not iree-gemm-opt --plugin-option=mode %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=EMPTY
// RUN: not iree-gemm-opt --plugin-option=mode=slow %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=MODE
// RUN: not iree-gemm-opt --plugin-option=strategy=best %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=STRATEGY
// RUN: not iree-gemm-opt --plugin-option=matrix-hardware=yes %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=HARDWARE
// RUN: not iree-gemm-opt --plugin-option=report= %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=REPORT
// RUN: env IREE_GEMM_OPTIONS=mode=fast,speed=high not iree-gemm-opt %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=NAME

// The stock compiler reports them as diagnostics.
// RUN: env IREE_GEMM_OPTIONS=speed=high not iree-compile --iree-load-plugin=%plugin \
// RUN:   --iree-plugin=gemm --iree-hal-target-device=vulkan %s -o %t.vmfb 2>&1 \
// RUN:   | filecheck %s --check-prefix=NAME
// RUN: not test -e %t.vmfb

// NAME: error: unknown option 'speed': one of mode, matrix-hardware, strategy, report

// EMPTY: error: option 'mode' has no value: write NAME=VALUE

// MODE: error: unknown mode 'slow': one of fast, deterministic

// STRATEGY: error: unknown strategy 'best': one of auto, tile, split-k, few-rows, cooperative, simdgroup, off

// HARDWARE: error: unknown matrix-hardware 'yes': one of on, off

// REPORT: error: report is the path of a file, without commas

module {
}
