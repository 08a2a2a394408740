// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x (1 x 128) times the transpose of a weight (96 x 128) in blocks of 32 bytes.
#weight = affine_map<(n, g, j) -> (n, g, j)>
#scale = affine_map<(n, g, j) -> (n, g)>

func.func @main(%x: tensor<1x128xf32>, %w: tensor<96x4x32xi8>, %s: tensor<96x4xf16>)
    -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x4x32xf32>
  %real = linalg.generic {
      indexing_maps = [#weight, #scale, #weight],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<96x4x32xi8>, tensor<96x4xf16>)
      outs(%empty : tensor<96x4x32xf32>) {
  ^bb0(%level: i8, %scale: f16, %out: f32):
    %0 = arith.sitofp %level : i8 to f32
    %1 = arith.extf %scale : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<96x4x32xf32>
  %b = tensor.collapse_shape %real [[0], [1, 2]]
      : tensor<96x4x32xf32> into tensor<96x128xf32>
  %c = tensor.empty() : tensor<1x96xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%c : tensor<1x96xf32>) -> tensor<1x96xf32>
  %result = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %b : tensor<1x128xf32>, tensor<96x128xf32>)
      outs(%fill : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %result : tensor<1x96xf32>
}
