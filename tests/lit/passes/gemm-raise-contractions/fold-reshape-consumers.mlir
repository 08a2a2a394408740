// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Reshapes of a result become other indices of the store.

// CHECK-DAG: #[[SPLIT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[JOINED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 5 + d1, d2)>

// CHECK-LABEL: func.func @expanded
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [{{.*}}, #[[SPLIT]]], iterators = ["m", "n", "n", "k"]
// CHECK: return %[[R]]
func.func @expanded(%a: tensor<5x3xf32>, %b: tensor<3x8xf32>, %c: tensor<5x8xf32>)
    -> tensor<5x2x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x8xf32>)
    outs(%c : tensor<5x8xf32>) -> tensor<5x8xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [5, 2, 4]
    : tensor<5x8xf32> into tensor<5x2x4xf32>
  return %1 : tensor<5x2x4xf32>
}

// CHECK-LABEL: func.func @collapsed
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [{{.*}}, #[[JOINED]]], iterators = ["batch", "m", "n", "k"]
// CHECK: return %[[R]]
func.func @collapsed(
    %a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<2x5x7xf32>)
    -> tensor<10x7xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x5x3xf32>, tensor<2x3x7xf32>)
    outs(%c : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]]
    : tensor<2x5x7xf32> into tensor<10x7xf32>
  return %1 : tensor<10x7xf32>
}

// One value in two shapes is stored once.
// CHECK-LABEL: func.func @both
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: stop = "two shapes of one value are read"
// CHECK: %[[S:.*]] = tensor.expand_shape %[[R]]
// CHECK: return %[[R]], %[[S]]
func.func @both(%a: tensor<5x3xf32>, %b: tensor<3x8xf32>, %c: tensor<5x8xf32>)
    -> (tensor<5x8xf32>, tensor<5x2x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x8xf32>)
    outs(%c : tensor<5x8xf32>) -> tensor<5x8xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [5, 2, 4]
    : tensor<5x8xf32> into tensor<5x2x4xf32>
  return %0, %1 : tensor<5x8xf32>, tensor<5x2x4xf32>
}
