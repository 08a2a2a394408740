// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Both operands have a zero point; the result is scaled and rounded to 8 bits again.
#map = affine_map<(m, n) -> (m, n)>

func.func @main(%a: tensor<24x80xi8>, %b: tensor<80x40xi8>,
                %za: tensor<i32>, %zb: tensor<i32>) -> tensor<24x40xi8> {
  %zero = arith.constant 0 : i32
  %scale = arith.constant 4.8828125e-04 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %pa = tensor.extract %za[] : tensor<i32>
  %pb = tensor.extract %zb[] : tensor<i32>
  %c = tensor.empty() : tensor<24x40xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%c : tensor<24x40xi32>) -> tensor<24x40xi32>
  %wide = linalg.quantized_matmul
      ins(%a, %b, %pa, %pb : tensor<24x80xi8>, tensor<80x40xi8>, i32, i32)
      outs(%fill : tensor<24x40xi32>) -> tensor<24x40xi32>
  %empty = tensor.empty() : tensor<24x40xi8>
  %result = linalg.generic {
      indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<24x40xi32>) outs(%empty : tensor<24x40xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = arith.sitofp %in : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<24x40xi8>
  return %result : tensor<24x40xi8>
}
