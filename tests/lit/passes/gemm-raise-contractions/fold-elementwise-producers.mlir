// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Transposes, broadcasts, casts and decoding fold into the loads; work does not.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2) -> (d2)>

// CHECK-LABEL: func.func @transposed
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[KM]], #[[NK]],
func.func @transposed(%a: tensor<3x5xf32>, %b: tensor<7x3xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %ta = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>)
    permutation = [1, 0]
  %f = tensor.empty() : tensor<3x7xf32>
  %tb = linalg.transpose ins(%b : tensor<7x3xf32>) outs(%f : tensor<3x7xf32>)
    permutation = [1, 0]
  %0 = linalg.matmul ins(%ta, %tb : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[K]],
func.func @broadcast(%a: tensor<3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %ba = linalg.broadcast ins(%a : tensor<3xf32>) outs(%e : tensor<5x3xf32>)
    dimensions = [0]
  %0 = linalg.matmul ins(%ba, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @decoded
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: ^bb0(%[[W:.*]]: i8, %[[S:.*]]: f32):
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[W]] : i8 to f32
// CHECK-NEXT: arith.mulf %[[F]], %[[S]] : f32
func.func @decoded(
    %a: tensor<5x3xf32>, %b: tensor<3x7xi8>, %s: tensor<7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<3x7xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b, %s : tensor<3x7xi8>, tensor<7xf32>) outs(%e : tensor<3x7xf32>) {
  ^bb0(%x: i8, %y: f32, %z: f32):
    %1 = arith.sitofp %x : i8 to f32
    %2 = arith.mulf %1, %y : f32
    linalg.yield %2 : f32
  } -> tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// An activation would be computed once for every tile that reads it.
// CHECK-LABEL: func.func @activation
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: "gemm.matmul"(%[[T]], %arg1, %arg2)
func.func @activation(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%x: f32, %z: f32):
    %1 = math.tanh %x : f32
    linalg.yield %1 : f32
  } -> tensor<5x3xf32>
  %0 = linalg.matmul ins(%t, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A value that depends on where it is read.
// CHECK-LABEL: func.func @positions
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: "gemm.matmul"(%[[T]], %arg0, %arg1)
func.func @positions(%b: tensor<3x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %t = linalg.generic {indexing_maps = [#id],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x3xf32>) {
  ^bb0(%z: f32):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    linalg.yield %3 : f32
  } -> tensor<5x3xf32>
  %0 = linalg.matmul ins(%t, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A cast from a type that kernels do not read stays outside.
// CHECK-LABEL: func.func @from_i64
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: "gemm.matmul"(%[[T]], %arg1, %arg2)
func.func @from_i64(%a: tensor<5x3xi64>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x3xi64>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%x: i64, %z: f32):
    %1 = arith.sitofp %x : i64 to f32
    linalg.yield %1 : f32
  } -> tensor<5x3xf32>
  %0 = linalg.matmul ins(%t, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
