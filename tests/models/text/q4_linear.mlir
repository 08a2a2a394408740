// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x (1 x 128) times the transpose of a weight (96 x 128) in blocks of 32 nibbles.
// A block is 16 bytes: the low nibbles are its first half, the high ones its second.
#level = affine_map<(n, g, h, j) -> (n, g, j)>
#scale = affine_map<(n, g, h, j) -> (n, g)>
#half = affine_map<(n, g, h, j) -> (h)>
#real = affine_map<(n, g, h, j) -> (n, g, h, j)>

func.func @main(%x: tensor<1x128xf32>, %w: tensor<96x4x16xi8>, %s: tensor<96x4xf16>)
    -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8 : i8
  %shifts = arith.constant dense<[0, 4]> : tensor<2xi8>
  %mask = arith.constant 15 : i8
  %empty = tensor.empty() : tensor<96x4x2x16xf32>
  %b = linalg.generic {
      indexing_maps = [#level, #scale, #half, #real],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %s, %shifts : tensor<96x4x16xi8>, tensor<96x4xf16>, tensor<2xi8>)
      outs(%empty : tensor<96x4x2x16xf32>) {
  ^bb0(%byte: i8, %scale: f16, %shift: i8, %out: f32):
    %shifted = arith.shrui %byte, %shift : i8
    %nibble = arith.andi %shifted, %mask : i8
    %level = arith.subi %nibble, %eight : i8
    %0 = arith.sitofp %level : i8 to f32
    %1 = arith.extf %scale : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<96x4x2x16xf32>
  %a = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [1, 4, 2, 16]
      : tensor<1x128xf32> into tensor<1x4x2x16xf32>
  %c = tensor.empty() : tensor<1x96xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%c : tensor<1x96xf32>) -> tensor<1x96xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n, g, h, j) -> (m, g, h, j)>,
                       affine_map<(m, n, g, h, j) -> (n, g, h, j)>,
                       affine_map<(m, n, g, h, j) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<1x4x2x16xf32>, tensor<96x4x2x16xf32>)
      outs(%fill : tensor<1x96xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x96xf32>
  return %result : tensor<1x96xf32>
}
