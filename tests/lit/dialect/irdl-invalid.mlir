// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not iree-opt --split-input-file --irdl-file=%S/../../../dialects/gemm.irdl.mlir %s 2>&1 \
// RUN:   | filecheck %s

// CHECK: error: 'gemm.matmul' op unexpected number of regions: expected 4 but got 1
func.func @regions(%a: tensor<2xf32>) {
  "gemm.matmul"(%a, %a) ({
    iree_linalg_ext.yield
  }) {bounds = array<i64: 2>, indexing_maps = [], iterators = ["k"],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}

// -----

// CHECK: error: 'gemm.matmul' op attribute "bounds" is expected but not provided
func.func @bounds(%a: tensor<2xf32>) {
  "gemm.matmul"(%a, %a) ({
    iree_linalg_ext.yield
  }, {
    iree_linalg_ext.yield
  }, {
    iree_linalg_ext.yield
  }, {
    iree_linalg_ext.yield
  }) {indexing_maps = [], iterators = ["k"],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
