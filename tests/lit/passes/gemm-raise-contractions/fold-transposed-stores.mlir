// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A transposition folds into the store where neighbors in memory stay neighbors.

#id = affine_map<(i, j) -> (i, j)>

// The transposed product stores by rows: the operands change places.
// CHECK-LABEL: func.func @whole
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg1, %arg0)
// CHECK-NOT: linalg.transpose {{.*}}ins(%[[R]]
// CHECK: return %[[R]]
func.func @whole(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>) -> tensor<7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %f = tensor.empty() : tensor<7x5xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.transpose ins(%0 : tensor<5x7xf32>) outs(%f : tensor<7x5xf32>)
    permutation = [1, 0]
  return %1 : tensor<7x5xf32>
}

// The next product takes the transposed operand as it is.
// CHECK-LABEL: func.func @read_by_product
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1)
// CHECK: stop = "a transposition that scatters neighbors"
// CHECK: "gemm.matmul"(%[[R]], %arg2)
func.func @read_by_product(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %d: tensor<5x9xf32>)
    -> tensor<7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %f = tensor.empty() : tensor<7x5xf32>
  %g = tensor.empty() : tensor<7x9xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<7x9xf32>) -> tensor<7x9xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.transpose ins(%0 : tensor<5x7xf32>) outs(%f : tensor<7x5xf32>)
    permutation = [1, 0]
  %2 = linalg.matmul ins(%1, %d : tensor<7x5xf32>, tensor<5x9xf32>)
    outs(%h : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %2 : tensor<7x9xf32>
}

// Heads move before rows: columns of a head stay together.
// CHECK-LABEL: func.func @heads
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1)
// CHECK: -> tensor<2x5x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @heads(%a: tensor<5x3xf32>, %b: tensor<3x8xf32>) -> tensor<2x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %f = tensor.empty() : tensor<2x5x4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x8xf32>)
    outs(%c : tensor<5x8xf32>) -> tensor<5x8xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [5, 2, 4]
    : tensor<5x8xf32> into tensor<5x2x4xf32>
  %2 = linalg.transpose ins(%1 : tensor<5x2x4xf32>) outs(%f : tensor<2x5x4xf32>)
    permutation = [1, 0, 2]
  return %2 : tensor<2x5x4xf32>
}
