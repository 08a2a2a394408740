// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A tensor of flags is widened outside, since no kernel binds one.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @mask
// CHECK: %[[WORDS:.*]] = arith.extui %arg2 : tensor<5x7xi1> to tensor<5x7xi32>
// CHECK: "gemm.matmul"(%arg0, %arg1, %[[WORDS]], %arg3)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[WORD:.*]]: i32, %[[C:.*]]: f32):
// CHECK: %[[FLAG:.*]] = arith.trunci %[[WORD]] : i32 to i1
// CHECK: arith.select %[[FLAG]]
func.func @mask(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %mask: tensor<5x7xi1>,
    %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %low = arith.constant -1.0e+30 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %mask : tensor<5x7xf32>, tensor<5x7xi1>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: i1, %z: f32):
    %2 = arith.select %y, %x, %low : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// A result of flags is left to its own dispatch.
// CHECK-LABEL: func.func @flags_out
// CHECK: stop = "a value that a kernel cannot write"
// CHECK: linalg.generic
func.func @flags_out(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xi1> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xi1>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xi1>) {
  ^bb0(%x: f32, %z: i1):
    %2 = arith.cmpf ogt, %x, %zero : f32
    linalg.yield %2 : i1
  } -> tensor<5x7xi1>
  return %1 : tensor<5x7xi1>
}
