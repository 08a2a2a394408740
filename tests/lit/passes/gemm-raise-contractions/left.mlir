// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// What looks like a product and is not taken carries the reason.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-NOT: "gemm.matmul"

// CHECK-LABEL: func.func @f64
// CHECK: linalg.matmul {gemm.left = "element types f64 * f64 -> f64 are not supported"}
func.func @f64(%a: tensor<5x3xf64>, %b: tensor<3x7xf64>, %c: tensor<5x7xf64>)
    -> tensor<5x7xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf64>, tensor<3x7xf64>)
    outs(%c : tensor<5x7xf64>) -> tensor<5x7xf64>
  return %0 : tensor<5x7xf64>
}

// CHECK-LABEL: func.func @wide_sum
// CHECK: gemm.left = "element type i64 cannot be computed in a kernel"
func.func @wide_sum(%a: tensor<5x3xi32>, %b: tensor<3x7xi32>, %c: tensor<5x7xi64>)
    -> tensor<5x7xi64> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi32>, tensor<3x7xi32>)
    outs(%c : tensor<5x7xi64>) -> tensor<5x7xi64>
  return %0 : tensor<5x7xi64>
}

// CHECK-LABEL: func.func @dots
// CHECK: linalg.generic
// CHECK-SAME: gemm.left = "neither operand is a matrix: these are dot products"
func.func @dots(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>, %c: tensor<5xf32>)
    -> tensor<5xf32> {
  %0 = linalg.generic {indexing_maps = [
        affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>,
        affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf32>, tensor<5x3xf32>) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @one_sided
// CHECK: gemm.left = "dimension 3 is reduced over one operand alone"
func.func @one_sided(%a: tensor<5x3x2xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [
        affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>,
        affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<5x3x2xf32>, tensor<3x7xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @recurrence
// CHECK: gemm.left = "the body multiplies by the value that it accumulates"
func.func @recurrence(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.addf %y, %z : f32
    %2 = arith.mulf %x, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Nobody would call these matrix products: no reason either.
// CHECK-LABEL: func.func @squares
// CHECK-NOT: gemm.left
func.func @squares(%a: tensor<5x3xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.generic {indexing_maps = [
        affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<5x3xf32>) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %z: f32):
    %1 = arith.mulf %x, %x : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK-NOT: gemm.left
func.func @convolution(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x6xf32>,
    %c: tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf
    ins(%a, %b : tensor<1x8x8x3xf32>, tensor<3x3x3x6xf32>)
    outs(%c : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  return %0 : tensor<1x6x6x6xf32>
}

// CHECK-LABEL: func.func @largest_product
// CHECK-NOT: gemm.left
func.func @largest_product(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.maximumf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Memory in place of tensors has readers that nobody sees.
// CHECK-LABEL: func.func @memory
// CHECK-NOT: gemm.left
func.func @memory(%a: memref<5x3xf32>, %b: memref<3x7xf32>, %c: memref<5x7xf32>) {
  linalg.matmul ins(%a, %b : memref<5x3xf32>, memref<3x7xf32>)
    outs(%c : memref<5x7xf32>)
  return
}
