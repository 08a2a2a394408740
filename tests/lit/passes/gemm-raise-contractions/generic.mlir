// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Contractions that are spelled as generics, casts and several factors included.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#row = affine_map<(m, n, k) -> (n)>

// CHECK-LABEL: func.func @casts
// The factors are taken as they are stored: their product is exact in f32.
// CHECK: ^bb0(%[[A:.*]]: f16):
// CHECK-NEXT: iree_linalg_ext.yield %[[A]] : f16
func.func @casts(%a: tensor<5x3xf16>, %b: tensor<3x7xf16>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf16>, tensor<3x7xf16>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %3, %z : f32
    linalg.yield %4 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// The product of two halves that is rounded before the sum is not rounded here.
// CHECK-LABEL: func.func @rounded_product
// CHECK: "gemm.matmul"
func.func @rounded_product(%a: tensor<5x3xf16>, %b: tensor<3x7xf16>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf16>, tensor<3x7xf16>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %1 = arith.mulf %x, %y : f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A third factor goes to the side whose dimensions it has.
// CHECK-LABEL: func.func @three_factors
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: ^bb0(%{{.*}}: f32):
// CHECK-NEXT: yield
// CHECK: ^bb0(%[[B:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: arith.mulf %[[B]], %[[S]] : f32
// CHECK: operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>
func.func @three_factors(
    %a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %s: tensor<7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #row, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %s : tensor<5x3xf32>, tensor<3x7xf32>, tensor<7xf32>)
      outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.mulf %1, %w : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// One tensor on both sides: a Gram matrix.
// CHECK-LABEL: func.func @gram
// CHECK: "gemm.matmul"(%arg0, %arg0, %arg1)
func.func @gram(%a: tensor<5x3xf32>, %c: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = linalg.generic {indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<5x3xf32>, tensor<5x3xf32>) outs(%c : tensor<5x5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// Patches that divide an image: each pixel belongs to one row of lhs.
// CHECK-LABEL: func.func @patches
// CHECK: iterators = ["m", "m", "n", "k", "k", "k"]
func.func @patches(%a: tensor<8x8x3xf32>, %b: tensor<4x4x3x6xf32>, %c: tensor<2x2x6xf32>)
    -> tensor<2x2x6xf32> {
  %0 = linalg.generic {indexing_maps = [
        affine_map<(h, w, n, i, j, c) -> (h * 4 + i, w * 4 + j, c)>,
        affine_map<(h, w, n, i, j, c) -> (i, j, c, n)>,
        affine_map<(h, w, n, i, j, c) -> (h, w, n)>],
      iterator_types = ["parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x8x3xf32>, tensor<4x4x3x6xf32>)
      outs(%c : tensor<2x2x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x2x6xf32>
  return %0 : tensor<2x2x6xf32>
}

// A convolution whose window is one pixel.
// CHECK-LABEL: func.func @pixels
// CHECK: bounds = array<i64: 8, 8, 6, 3>, {{.*}}iterators = ["m", "m", "n", "k"]
func.func @pixels(%a: tensor<1x8x8x3xf32>, %b: tensor<1x1x3x6xf32>,
    %c: tensor<1x8x8x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf
    ins(%a, %b : tensor<1x8x8x3xf32>, tensor<1x1x3x6xf32>)
    outs(%c : tensor<1x8x8x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
