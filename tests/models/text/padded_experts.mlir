// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Four experts with room for 12 tokens each; the gate weighs what they return.
#map = affine_map<(e, m, n) -> (e, m, n)>
#row = affine_map<(e, m, n) -> (e, m)>

func.func @main(%x: tensor<4x12x32xf32>, %up: tensor<4x32x64xf32>,
                %down: tensor<4x64x32xf32>, %gate: tensor<4x12xf32>)
    -> tensor<4x12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %inner = tensor.empty() : tensor<4x12x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%inner : tensor<4x12x64xf32>)
      -> tensor<4x12x64xf32>
  %grown = linalg.batch_matmul ins(%x, %up : tensor<4x12x32xf32>, tensor<4x32x64xf32>)
      outs(%fill : tensor<4x12x64xf32>) -> tensor<4x12x64xf32>
  %active = linalg.generic {
      indexing_maps = [#map, #map],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%grown : tensor<4x12x64xf32>) outs(%inner : tensor<4x12x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x12x64xf32>
  %outer = tensor.empty() : tensor<4x12x32xf32>
  %fill_outer = linalg.fill ins(%zero : f32) outs(%outer : tensor<4x12x32xf32>)
      -> tensor<4x12x32xf32>
  %shrunk = linalg.batch_matmul
      ins(%active, %down : tensor<4x12x64xf32>, tensor<4x64x32xf32>)
      outs(%fill_outer : tensor<4x12x32xf32>) -> tensor<4x12x32xf32>
  %result = linalg.generic {
      indexing_maps = [#map, #row, #map],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%shrunk, %gate : tensor<4x12x32xf32>, tensor<4x12xf32>)
      outs(%outer : tensor<4x12x32xf32>) {
  ^bb0(%in: f32, %g: f32, %out: f32):
    %0 = arith.mulf %in, %g : f32
    linalg.yield %0 : f32
  } -> tensor<4x12x32xf32>
  return %result : tensor<4x12x32xf32>
}
