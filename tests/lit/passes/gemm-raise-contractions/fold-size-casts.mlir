// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A cast that forgets sizes folds; one that claims to know them does not.

// CHECK-LABEL: func.func @forgotten
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2
func.func @forgotten(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<?x7xf32>)
    -> tensor<?x7xf32> {
  %s = tensor.cast %a : tensor<5x3xf32> to tensor<?x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// CHECK-LABEL: func.func @claimed
// CHECK: %[[S:.*]] = tensor.cast
// CHECK: "gemm.matmul"(%[[S]], %arg1, %arg2)
func.func @claimed(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.cast %a : tensor<?x3xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
