// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not iree-gemm-opt --passes=gemm-raise-contractions,gemm-nothing %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=PASS --match-full-lines
// RUN: not iree-gemm-opt --target=nothing %s 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not iree-gemm-opt %s.nothing 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not iree-gemm-opt %S 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not iree-gemm-opt %s -o %t/nothing/out.mlir 2>&1 \
// RUN:   | filecheck %s --check-prefix=OUTPUT
// RUN: not iree-gemm explain %s.nothing 2>&1 | filecheck %s --check-prefix=EXPLAIN
// RUN: not iree-gemm-opt --nothing %s 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not iree-gemm compile --nothing %s 2>&1 | filecheck %s --check-prefix=COMPILE

// PASS: iree-gemm-opt: error: unknown pass 'gemm-nothing': one of gemm-raise-contractions{{.*}}

// TARGET: iree-gemm-opt: error: unknown target 'nothing': write metal, default, or a name that --iree-vulkan-target of iree-compile knows

// FILE: iree-gemm-opt: error: cannot read '{{.*}}command-line.mlir.nothing': No such file or directory

// FOLDER: iree-gemm-opt: error: cannot read '{{.*}}': Is a directory

// OUTPUT: iree-gemm-opt: error: cannot write '{{.*}}out.mlir': No such file or directory

// EXPLAIN: iree-gemm: error: cannot read '{{.*}}command-line.mlir.nothing': {{[Nn]}}o such file

// FLAG: iree-gemm-opt: error: unrecognized arguments: --nothing

// COMPILE: Unknown command line argument '--nothing'

module {
}
