// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What simdgroup matrices do, and why they do not do the rest.
// RUN: iree-gemm-opt --target=metal --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s
// RUN: iree-gemm-opt --target=metal --split-input-file --plugin-option=matrix-hardware=off %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=OFF

// OFF-NOT: strategy = "simdgroup"

// CHECK-LABEL: func.func @halves
//       CHECK:   config = {element_bits = 16 : i64, exact = 0 : i64, in_place = 0 : i64
//  CHECK-SAME:   strategy = "simdgroup"
// OFF-LABEL: func.func @halves
//       OFF:   simdgroup = "matrix-hardware=off"
//  OFF-SAME:   strategy = "tile"
func.func @halves(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Zero points widen the range, so fewer terms are exact.

// CHECK-LABEL: func.func @zero_points
//       CHECK:   exact = 896 : i64
//  CHECK-SAME:   strategy = "simdgroup"
func.func @zero_points(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xi32>)
    -> tensor<64x64xi32> {
  %three = arith.constant 3 : i32
  %seven = arith.constant -7 : i32
  %0 = linalg.quantized_matmul
    ins(%a, %b, %three, %seven : tensor<64x32xi8>, tensor<32x64xi8>, i32, i32)
    outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// CHECK-LABEL: func.func @unknown_zero_points
//       CHECK:   simdgroup = "integers of unknown size are multiplied as i32 by i32"
//  CHECK-SAME:   strategy = "tile"
func.func @unknown_zero_points(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>,
    %c: tensor<64x64xi32>, %x: i32, %y: i32) -> tensor<64x64xi32> {
  %0 = linalg.quantized_matmul
    ins(%a, %b, %x, %y : tensor<64x32xi8>, tensor<32x64xi8>, i32, i32)
    outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// What follows is part of the kernel, which must be able to express it.

// CHECK-LABEL: func.func @bfloat_bias
//       CHECK:   simdgroup = "arith.addf on bf16, which Metal kernels can only convert"
//  CHECK-SAME:   strategy = "tile"
func.func @bfloat_bias(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>,
    %bias: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %empty = tensor.empty() : tensor<64x64xbf16>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%0, %bias : tensor<64x64xf32>, tensor<64x64xbf16>) outs(%empty : tensor<64x64xbf16>) {
  ^bb0(%x: f32, %y: bf16, %out: bf16):
    %rounded = arith.truncf %x : f32 to bf16
    %sum = arith.addf %rounded, %y : bf16
    linalg.yield %sum : bf16
  } -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
