// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A splat is a constant of the region, and a zero init no operand at all.

// CHECK-LABEL: func.func @zero_init
// CHECK: "gemm.matmul"(%arg0, %arg1)
// CHECK: }, {
// CHECK: }, {
// CHECK: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: iree_linalg_ext.yield %[[SUM]]
func.func @zero_init(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @splat_init
// CHECK: "gemm.matmul"(%arg0, %arg1)
// CHECK: }, {
// CHECK: }, {
// CHECK: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: arith.addf %[[TWO]], %[[SUM]] : f32
func.func @splat_init(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>) -> tensor<5x7xf32> {
  %c = arith.constant dense<2.0> : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Anything else is read in the epilogue; a broadcast bias by its one row.
// CHECK-LABEL: func.func @bias_init
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: arith.addf %[[BIAS]], %[[SUM]] : f32
func.func @bias_init(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %bias: tensor<7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %c = linalg.broadcast ins(%bias : tensor<7xf32>) outs(%e : tensor<5x7xf32>)
    dimensions = [0]
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// An operand remains one: kernels load both sides.
// CHECK-LABEL: func.func @splat_operand
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<5x3xf32>
// CHECK: "gemm.matmul"(%[[ONES]], %arg0, %arg1)
func.func @splat_operand(%b: tensor<3x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %a = arith.constant dense<1.0> : tensor<5x3xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
