// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of one operation: kept through raising, checked at the operation.
// RUN: not iree-gemm-opt --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   --target=llvmpipe --split-input-file %s 2>&1 | filecheck %s

// CHECK: options.mlir:{{[0-9]+}}:8: error: gemm.options: unknown option 'speed': one of
func.func @unknown(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul {gemm.options = {speed = "high"}}
    ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// -----

// CHECK: error: gemm.options: unknown strategy 'best': one of
func.func @value(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "best"}}
    ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// -----

// CHECK: error: gemm.options: 4 : i64 is not a string
func.func @type(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = 4}}
    ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// -----

// CHECK: error: gemm.options is a dictionary of strings
func.func @list(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul {gemm.options = ["tile"]}
    ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// -----

// Options on a product that cannot be raised are a contradiction.
// CHECK: error: gemm.options on a product that is left to IREE: element types f64 * f64 -> f64 are not supported
func.func @left(%a: tensor<5x3xf64>, %b: tensor<3x7xf64>, %c: tensor<5x7xf64>)
    -> tensor<5x7xf64> {
  %0 = linalg.matmul {gemm.options = {strategy = "tile"}}
    ins(%a, %b : tensor<5x3xf64>, tensor<3x7xf64>)
    outs(%c : tensor<5x7xf64>) -> tensor<5x7xf64>
  return %0 : tensor<5x7xf64>
}

// -----

// CHECK: error: gemm.options on linalg.fill, which is no matrix product
func.func @fill(%c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill {gemm.options = {strategy = "tile"}} ins(%zero : f32)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
