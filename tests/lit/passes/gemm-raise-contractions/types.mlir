// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// The sum is in f32 or i32 whatever the model's accumulator is.

// CHECK-LABEL: func.func @f16_accumulator
// CHECK: }, {
// CHECK: }, {
// CHECK: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT: iree_linalg_ext.yield %[[R]] : f16
func.func @f16_accumulator(%a: tensor<5x3xf16>, %b: tensor<3x7xf16>) -> tensor<5x7xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x7xf16>
  %c = linalg.fill ins(%zero : f16) outs(%e : tensor<5x7xf16>) -> tensor<5x7xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf16>, tensor<3x7xf16>)
    outs(%c : tensor<5x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}

// CHECK-LABEL: func.func @mixed
// CHECK: ^bb0(%{{.*}}: f32):
// CHECK: ^bb0(%{{.*}}: bf16):
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
func.func @mixed(%a: tensor<5x3xf32>, %b: tensor<3x7xbf16>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xbf16>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @i8
// CHECK: ^bb0(%{{.*}}: i8):
// CHECK-NEXT: iree_linalg_ext.yield
// CHECK: ^bb0(%{{.*}}: i8):
// CHECK-NEXT: iree_linalg_ext.yield
// CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i32):
func.func @i8(%a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %c: tensor<5x7xi32>)
    -> tensor<5x7xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi8>, tensor<3x7xi8>)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// A sum that wraps at 8 bits is the low byte of a wider one.
// CHECK-LABEL: func.func @wrapping
// CHECK: ^bb0(%[[SUM:.*]]: i32, %[[C:.*]]: i8):
// CHECK-NEXT: %[[START:.*]] = arith.extsi %[[C]] : i8 to i32
// CHECK-NEXT: %[[T:.*]] = arith.addi %[[START]], %[[SUM]] : i32
// CHECK-NEXT: arith.trunci %[[T]] : i32 to i8
func.func @wrapping(%a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %c: tensor<5x7xi8>)
    -> tensor<5x7xi8> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi8>, tensor<3x7xi8>)
    outs(%c : tensor<5x7xi8>) -> tensor<5x7xi8>
  return %0 : tensor<5x7xi8>
}

// 64-bit sums whose low halves alone are used, as MatMulInteger of ONNX has them.
// CHECK-LABEL: func.func @low_half
// CHECK: "gemm.matmul"(%arg0, %arg1)
// CHECK: ^bb0(%[[SUM:.*]]: i32):
// CHECK-NEXT: iree_linalg_ext.yield %[[SUM]] : i32
func.func @low_half(%a: tensor<5x3xi32>, %b: tensor<3x7xi32>) -> tensor<5x7xi32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<5x7xi64>
  %f = tensor.empty() : tensor<5x7xi32>
  %c = linalg.fill ins(%zero : i64) outs(%e : tensor<5x7xi64>) -> tensor<5x7xi64>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi32>, tensor<3x7xi32>)
    outs(%c : tensor<5x7xi64>) -> tensor<5x7xi64>
  %1 = linalg.generic {indexing_maps = [
        affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xi64>) outs(%f : tensor<5x7xi32>) {
  ^bb0(%x: i64, %y: i32):
    %2 = arith.trunci %x : i64 to i32
    linalg.yield %2 : i32
  } -> tensor<5x7xi32>
  return %1 : tensor<5x7xi32>
}

// What it adds to is shortened outside.
// CHECK-LABEL: func.func @low_half_of_init
// CHECK: %[[C:.*]] = arith.trunci %arg2 : tensor<5x7xi64> to tensor<5x7xi32>
// CHECK: "gemm.matmul"(%arg0, %arg1, %[[C]])
func.func @low_half_of_init(%a: tensor<5x3xi32>, %b: tensor<3x7xi32>, %c: tensor<5x7xi64>)
    -> tensor<5x7xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi32>, tensor<3x7xi32>)
    outs(%c : tensor<5x7xi64>) -> tensor<5x7xi64>
  %1 = arith.trunci %0 : tensor<5x7xi64> to tensor<5x7xi32>
  return %1 : tensor<5x7xi32>
}
