// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Extents of one drop out of the product.

// CHECK-LABEL: func.func @batch_of_one
// CHECK: bounds = array<i64: 5, 7, 3>, {{.*}}iterators = ["m", "n", "k"]
func.func @batch_of_one(
    %a: tensor<1x5x3xf32>, %b: tensor<1x3x7xf32>, %c: tensor<1x5x7xf32>)
    -> tensor<1x5x7xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x5x3xf32>, tensor<1x3x7xf32>)
    outs(%c : tensor<1x5x7xf32>) -> tensor<1x5x7xf32>
  return %0 : tensor<1x5x7xf32>
}

// One column is the transposed product of one row.
// CHECK-LABEL: func.func @one_column
// CHECK: "gemm.matmul"(%arg1, %arg0, %arg2)
// CHECK: bounds = array<i64: 5, 3>, {{.*}}iterators = ["n", "k"]
func.func @one_column(%a: tensor<5x3xf32>, %b: tensor<3x1xf32>, %c: tensor<5x1xf32>)
    -> tensor<5x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x1xf32>)
    outs(%c : tensor<5x1xf32>) -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @one_term
// CHECK: bounds = array<i64: 5, 7>, {{.*}}iterators = ["m", "n"]
func.func @one_term(%a: tensor<5x1xf32>, %b: tensor<1x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x1xf32>, tensor<1x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @one_of_everything
// CHECK: bounds = array<i64>, {{.*}}iterators = []
func.func @one_of_everything(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>, %c: tensor<1x1xf32>)
    -> tensor<1x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x1xf32>, tensor<1x1xf32>)
    outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
