// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left to IREE is as it was before raising, in every operation and order.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=off %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels > %t.left
// RUN: iree-gemm-opt --target=ampere %s > %t.before
// RUN: diff %t.before %t.left

func.func @product(%a: tensor<5x3xf32>, %b: tensor<7x3xf32>, %bias: tensor<7xf32>)
    -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %turned = tensor.empty() : tensor<3x7xf32>
  %bt = linalg.transpose ins(%b : tensor<7x3xf32>) outs(%turned : tensor<3x7xf32>)
    permutation = [1, 0]
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %bt : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {
    indexing_maps = [
      affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d1)>,
      affine_map<(d0, d1) -> (d0, d1)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%0, %bias : tensor<5x7xf32>, tensor<7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
