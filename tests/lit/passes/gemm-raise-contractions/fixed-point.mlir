// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running the pass again changes nothing: products stand for their operations.
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s -o %t.once
// RUN: iree-gemm-opt --passes=gemm-raise-contractions,gemm-raise-contractions \
// RUN:   %s -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %t.once -o %t.again
// RUN: diff %t.once %t.again
// RUN: filecheck %s --input-file=%t.once

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @chain
// CHECK: %[[FIRST:.*]] = "gemm.matmul"
// CHECK: linalg.matmul
// CHECK: "gemm.matmul"(%[[FIRST]],
// CHECK: linalg.matmul
func.func @chain(%a: tensor<?x3xf32>, %b: tensor<3x3xf32>, %c: tensor<?x3xf32>,
    %n: index) -> tensor<?x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x3xf32>)
    outs(%c : tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%x: f32, %z: f32):
    %t = arith.maximumf %x, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x3xf32>
  %2 = linalg.matmul ins(%1, %b : tensor<?x3xf32>, tensor<3x3xf32>)
    outs(%c : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %2 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @left
// CHECK: gemm.left
func.func @left(%a: tensor<5x3xf64>, %b: tensor<3x7xf64>, %c: tensor<5x7xf64>)
    -> tensor<5x7xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf64>, tensor<3x7xf64>)
    outs(%c : tensor<5x7xf64>) -> tensor<5x7xf64>
  return %0 : tensor<5x7xf64>
}
