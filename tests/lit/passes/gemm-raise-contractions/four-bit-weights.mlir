// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Tensors of 4-bit integers are read as bytes; half a byte is shifted out.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-DAG: #[[PAIR:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>

// CHECK-LABEL: func.func @signed
// CHECK: %[[BYTES:.*]] = iree_tensor_ext.bitcast %arg1 : tensor<7x8xi4> -> tensor<7x4xi8>
// CHECK: %[[SHIFTS:.*]] = arith.constant dense<[0, 4]> : tensor<2xi8>
// CHECK: "gemm.matmul"(%arg0, %[[BYTES]], %[[SHIFTS]], %arg2)
// CHECK: ^bb0(%[[BYTE:.*]]: i8, %[[SHIFT:.*]]: i8):
// CHECK: %[[LOW:.*]] = arith.shrui %[[BYTE]], %[[SHIFT]] : i8
// CHECK: %[[TOP:.*]] = arith.shli %[[LOW]], %{{.*}} : i8
// CHECK: %[[SIGNED:.*]] = arith.shrsi %[[TOP]], %{{.*}} : i8
// CHECK: arith.sitofp %[[SIGNED]] : i8 to f32
// CHECK: indexing_maps = [#{{.*}}, #[[PAIR]], #[[HALF]],
func.func @signed(%a: tensor<5x8xf32>, %b: tensor<7x8xi4>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<7x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<7x8xi4>) outs(%e : tensor<7x8xf32>) {
  ^bb0(%x: i4, %z: f32):
    %1 = arith.sitofp %x : i4 to f32
    linalg.yield %1 : f32
  } -> tensor<7x8xf32>
  %0 = linalg.matmul indexing_maps = [
      affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %w : tensor<5x8xf32>, tensor<7x8xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// An odd row does not start at a byte.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: "gemm.matmul"
// CHECK: gemm.left = "element type i4 cannot be read by a kernel"
func.func @odd(%a: tensor<5x3xi4>, %b: tensor<3x7xi4>, %c: tensor<5x7xi32>)
    -> tensor<5x7xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xi4>, tensor<3x7xi4>)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
