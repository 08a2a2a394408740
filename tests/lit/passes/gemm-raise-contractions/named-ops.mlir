// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Every named product becomes one gemm.matmul; vectors have no m or no n.

// CHECK-LABEL: func.func @matmul
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: }) {bounds = array<i64: 5, 7, 3>, {{.*}}iterators = ["m", "n", "k"]
func.func @matmul(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @batch_matmul
// CHECK: bounds = array<i64: 2, 5, 7, 3>, {{.*}}iterators = ["batch", "m", "n", "k"]
func.func @batch_matmul(
    %a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<2x5x7xf32>)
    -> tensor<2x5x7xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x5x3xf32>, tensor<2x3x7xf32>)
    outs(%c : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  return %0 : tensor<2x5x7xf32>
}

// One row is a product with n alone: the vector is lhs.
// CHECK-LABEL: func.func @matvec
// CHECK: "gemm.matmul"(%arg1, %arg0, %arg2)
// CHECK: bounds = array<i64: 5, 3>, {{.*}}iterators = ["n", "k"]
func.func @matvec(%a: tensor<5x3xf32>, %b: tensor<3xf32>, %c: tensor<5xf32>)
    -> tensor<5xf32> {
  %0 = linalg.matvec ins(%a, %b : tensor<5x3xf32>, tensor<3xf32>)
    outs(%c : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @vecmat
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: iterators = ["n", "k"]
func.func @vecmat(%a: tensor<3xf32>, %b: tensor<3x7xf32>, %c: tensor<7xf32>)
    -> tensor<7xf32> {
  %0 = linalg.vecmat ins(%a, %b : tensor<3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @batch_matvec
// CHECK: "gemm.matmul"(%arg1, %arg0, %arg2)
// CHECK: iterators = ["batch", "n", "k"]
func.func @batch_matvec(
    %a: tensor<2x5x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x5xf32>)
    -> tensor<2x5xf32> {
  %0 = linalg.batch_matvec ins(%a, %b : tensor<2x5x3xf32>, tensor<2x3xf32>)
    outs(%c : tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @batch_vecmat
// CHECK: iterators = ["batch", "n", "k"]
func.func @batch_vecmat(
    %a: tensor<2x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<2x7xf32>)
    -> tensor<2x7xf32> {
  %0 = linalg.batch_vecmat ins(%a, %b : tensor<2x3xf32>, tensor<2x3x7xf32>)
    outs(%c : tensor<2x7xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// The batch reduces into one result: its index is another k.
// CHECK-LABEL: func.func @batch_reduce_matmul
// CHECK: iterators = ["k", "m", "n", "k"]
func.func @batch_reduce_matmul(
    %a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.batch_reduce_matmul
    ins(%a, %b : tensor<2x5x3xf32>, tensor<2x3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @contract
// CHECK: iterators = ["m", "n", "k", "k"]
func.func @contract(%a: tensor<5x3x4xf32>, %b: tensor<4x7x3xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %0 = linalg.contract indexing_maps = [
      affine_map<(m, n, k, l) -> (m, k, l)>,
      affine_map<(m, n, k, l) -> (l, n, k)>,
      affine_map<(m, n, k, l) -> (m, n)>]
    ins(%a, %b : tensor<5x3x4xf32>, tensor<4x7x3xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Tiles of a packed layout are more dimensions of the same kinds.
// CHECK-LABEL: func.func @mmt4d
// CHECK: iterators = ["m", "n", "k", "m", "n", "k"]
func.func @mmt4d(
    %a: tensor<2x3x4x8xf32>, %b: tensor<5x3x6x8xf32>, %c: tensor<2x5x4x6xf32>)
    -> tensor<2x5x4x6xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x3x4x8xf32>, tensor<5x3x6x8xf32>)
    outs(%c : tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
  return %0 : tensor<2x5x4x6xf32>
}

// Zero points are scalars that the regions subtract.
// CHECK-LABEL: func.func @quantized_matmul
// CHECK: "gemm.matmul"(%arg0, %arg2, %arg1, %arg3, %arg4)
// CHECK: ^bb0(%[[X:.*]]: i8, %[[P:.*]]: i32):
// CHECK: %[[W:.*]] = arith.extsi %[[X]] : i8 to i32
// CHECK: arith.subi %[[W]], %[[P]] : i32
// CHECK: operandSegmentSizes = array<i32: 2, 2, 1, 0, 0>
func.func @quantized_matmul(
    %a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %x: i32, %y: i32, %c: tensor<5x7xi32>)
    -> tensor<5x7xi32> {
  %0 = linalg.quantized_matmul
    ins(%a, %b, %x, %y : tensor<5x3xi8>, tensor<3x7xi8>, i32, i32)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// With one rhs for the whole batch, the batch is more rows.
// CHECK-LABEL: func.func @indexing_maps
// CHECK: bounds = array<i64: 2, 5, 7, 3>, {{.*}}iterators = ["m", "m", "n", "k"]
func.func @indexing_maps(
    %a: tensor<2x3x5xf32>, %b: tensor<3x7xf32>, %c: tensor<2x5x7xf32>)
    -> tensor<2x5x7xf32> {
  %0 = linalg.batch_matmul indexing_maps = [
      affine_map<(b, m, n, k) -> (b, k, m)>,
      affine_map<(b, m, n, k) -> (k, n)>,
      affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<2x3x5xf32>, tensor<3x7xf32>)
    outs(%c : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  return %0 : tensor<2x5x7xf32>
}
