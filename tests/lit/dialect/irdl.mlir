// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stock iree-opt loads the dialect and takes what the passes print.
// RUN: iree-gemm-opt --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   --target=llvmpipe %s | iree-opt --irdl-file=%S/../../../dialects/gemm.irdl.mlir - \
// RUN:   | filecheck %s

// CHECK-LABEL: func.func @bias
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %{{.*}})
// CHECK: iree_linalg_ext.yield
// CHECK: iterators = ["m", "n", "k"]
func.func @bias(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>, %c: tensor<?x7xf32>)
    -> tensor<?x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
