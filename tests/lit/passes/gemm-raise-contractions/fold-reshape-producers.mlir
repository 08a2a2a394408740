// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Reshapes of an operand become other indices into its source.

// CHECK-DAG: #[[SPLIT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1, d2, d3) -> (d2 * 4 + d3, d1)>
// CHECK-DAG: #[[FLAT:.*]] = affine_map<(d0, d1, d2) -> (d0 * 3 + d2)>

// The k that two dimensions of the source form is split for rhs, too.
// CHECK-LABEL: func.func @collapsed
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[SPLIT]], #[[SUM]],
// CHECK-SAME: iterators = ["m", "n", "k", "k"]
func.func @collapsed(%a: tensor<5x2x4xf32>, %b: tensor<8x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.collapse_shape %a [[0], [1, 2]]
    : tensor<5x2x4xf32> into tensor<5x8xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x8xf32>, tensor<8x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @expanded
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[FLAT]],
func.func @expanded(%a: tensor<15xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.expand_shape %a [[0, 1]] output_shape [5, 3]
    : tensor<15xf32> into tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Two sizes that are known at run time alone cannot be told apart.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[S:.*]] = tensor.collapse_shape
// CHECK: "gemm.matmul"(%[[S]], %arg1, %arg2
func.func @dynamic(%a: tensor<?x?x3xf32>, %b: tensor<3x7xf32>, %c: tensor<?x7xf32>)
    -> tensor<?x7xf32> {
  %s = tensor.collapse_shape %a [[0, 1], [2]]
    : tensor<?x?x3xf32> into tensor<?x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
