// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A slice of an operand is read where it lies, as a leading dimension and an offset.

// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0 + 2, d2 + 4)>
// CHECK-DAG: #[[PLANE:.*]] = affine_map<(d0, d1, d2) -> (1, d0, d2)>

// CHECK-LABEL: func.func @columns
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[PART]],
func.func @columns(%a: tensor<9x16xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[2, 4] [5, 3] [1, 1]
    : tensor<9x16xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @plane
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[PLANE]],
func.func @plane(%a: tensor<4x5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[1, 0, 0] [1, 5, 3] [1, 1, 1]
    : tensor<4x5x3xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// The rows of one expert: where they start is known at run time, so IREE makes the
// slice and the product is taken.
// CHECK-LABEL: func.func @rows_of_expert
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: "gemm.matmul"(%[[S]], %arg1, %arg2
func.func @rows_of_expert(%a: tensor<40x3xf32>, %b: tensor<3x7xf32>, %c: tensor<?x7xf32>,
    %first: index, %count: index) -> tensor<?x7xf32> {
  %s = tensor.extract_slice %a[%first, 0] [%count, 3] [1, 1]
    : tensor<40x3xf32> to tensor<?x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
