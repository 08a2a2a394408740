// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which cooperative configuration a shape gets: the one that is estimated
// to take the least time, in ranges of k where that is less.
// RUN: iree-gemm-opt --target=ampere %s --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   | filecheck %s

// CHECK-LABEL: func.func @large
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}tile_k = 32 : i64, tile_m = 128 : i64, tile_n = 128 : i64}
//  CHECK-SAME:   strategy = "cooperative"
func.func @large(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>)
    outs(%init : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: func.func @tall
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}tile_k = 64 : i64, tile_m = 128 : i64, tile_n = 64 : i64}
//  CHECK-SAME:   strategy = "cooperative"
func.func @tall(%a: tensor<1024x3072xf16>, %b: tensor<3072x768xf16>) -> tensor<1024x768xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<1024x768xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<1024x768xf16>) -> tensor<1024x768xf16>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x3072xf16>, tensor<3072x768xf16>)
    outs(%init : tensor<1024x768xf16>) -> tensor<1024x768xf16>
  return %0 : tensor<1024x768xf16>
}

// A of f32 is rounded to the type of B.

// CHECK-LABEL: func.func @medium
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}tile_k = 64 : i64, tile_m = 64 : i64, tile_n = 64 : i64}
//  CHECK-SAME:   strategy = "cooperative"
func.func @medium(%a: tensor<64x384xf32>, %b: tensor<384x8192xf16>) -> tensor<64x8192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x8192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8192xf32>) -> tensor<64x8192xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x384xf32>, tensor<384x8192xf16>)
    outs(%init : tensor<64x8192xf32>) -> tensor<64x8192xf32>
  return %0 : tensor<64x8192xf32>
}

// CHECK-LABEL: func.func @few_rows
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}tile_k = 64 : i64, tile_m = 16 : i64, tile_n = 64 : i64}
//  CHECK-SAME:   strategy = "cooperative"
func.func @few_rows(%a: tensor<16x256xf16>, %b: tensor<256x2048xf16>) -> tensor<16x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<16x256xf16>, tensor<256x2048xf16>)
    outs(%init : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  return %0 : tensor<16x2048xf32>
}

// CHECK-LABEL: func.func @long_k
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}ranges = {{[0-9]+}} : i64, {{.*}}tile_k = 64 : i64, tile_m = 128 : i64, tile_n = 64 : i64}
//  CHECK-SAME:   strategy = "cooperative-split-k"
func.func @long_k(%a: tensor<128x3072xf16>, %b: tensor<3072x768xf16>) -> tensor<128x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x768xf32>) -> tensor<128x768xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<128x3072xf16>, tensor<3072x768xf16>)
    outs(%init : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}

// CHECK-LABEL: func.func @large_in_ranges
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, {{.*}}ranges = 2 : i64, {{.*}}tile_k = 32 : i64, tile_m = 128 : i64, tile_n = 128 : i64}
//  CHECK-SAME:   strategy = "cooperative-split-k"
func.func @large_in_ranges(%a: tensor<512x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<512x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<512x4096xf16>, tensor<4096x4096xf16>)
    outs(%init : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}

// CHECK-LABEL: func.func @bfloat
//       CHECK:   gemm.matmul
//       CHECK:   config = {element_bits = 16 : i64, is_bfloat = 1 : i64, {{.*}}tile_k = 32 : i64, tile_m = 128 : i64, tile_n = 128 : i64}
//  CHECK-SAME:   strategy = "cooperative"
func.func @bfloat(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<4096x4096xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %0 = linalg.matmul
    ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>)
    outs(%init : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// What matrix units do not take.

// CHECK-LABEL: func.func @one_row
//       CHECK:   gemm.matmul
//       CHECK:   strategy = "few-rows"
func.func @one_row(%a: tensor<1x768xf16>, %b: tensor<768x768xf16>) -> tensor<1x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x768xf32>) -> tensor<1x768xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1x768xf16>, tensor<768x768xf16>)
    outs(%init : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// CHECK-LABEL: func.func @single
//       CHECK:   gemm.matmul
//       CHECK:   strategy = "{{tile|split-k}}"
func.func @single(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
    outs(%init : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @integers_not_listed
//       CHECK:   gemm.matmul
//       CHECK:   strategy = "{{tile|split-k}}"
func.func @integers_not_listed(%a: tensor<1024x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<1024x1024xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1024x1024xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x1024xi8>, tensor<1024x1024xi8>)
    outs(%init : tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  return %0 : tensor<1024x1024xi32>
}
