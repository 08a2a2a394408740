// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Sizes known at run time alone are operands, one for each dynamic bound.

// CHECK-LABEL: func.func @all
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?x?x?xf32>
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: bounds = array<i64: -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808>
// CHECK-SAME: operandSegmentSizes = array<i32: 1, 1, 1, 0, 4>
func.func @all(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
    outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// A size that one operand knows is static for all.
// CHECK-LABEL: func.func @known_elsewhere
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: bounds = array<i64: 5, 7, 3>
func.func @known_elsewhere(%a: tensor<5x?xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x?xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A split of a dynamic dimension divides its size.
// CHECK-LABEL: func.func @split
// CHECK: arith.divui
// CHECK: "gemm.matmul"
// CHECK: iterators = ["m", "n", "k", "k"]
func.func @split(%a: tensor<5x?x4xf32>, %b: tensor<?x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.collapse_shape %a [[0], [1, 2]]
    : tensor<5x?x4xf32> into tensor<5x?xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x?xf32>, tensor<?x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// What the program promises about a size is kept for the choice of a strategy.
// CHECK-LABEL: func.func @bounded
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2,
// CHECK: upper_bounds = array<i64: 16, -1, -1>
func.func @bounded(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>, %c: tensor<?x7xf32>,
    %n: index) -> tensor<?x7xf32> {
  %m = util.assume.int %n<umin = 1, umax = 16, udiv = 4> : index
  %t = flow.tensor.tie_shape %a : tensor<?x3xf32>{%m}
  %0 = linalg.matmul ins(%t, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
