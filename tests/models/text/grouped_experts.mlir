// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// 40 tokens sorted by expert; expert e has the rows from starts[e] to starts[e + 1].
#map = affine_map<(m, n) -> (m, n)>

func.func @main(%x: tensor<40x32xf32>, %starts: tensor<4xi32>,
                %up: tensor<3x32x64xf32>, %down: tensor<3x64x32xf32>)
    -> tensor<40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<40x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x32xf32>)
      -> tensor<40x32xf32>
  %result = scf.for %e = %c0 to %c3 step %c1 iter_args(%all = %init)
      -> (tensor<40x32xf32>) {
    %next = arith.addi %e, %c1 : index
    %first_i32 = tensor.extract %starts[%e] : tensor<4xi32>
    %last_i32 = tensor.extract %starts[%next] : tensor<4xi32>
    %first = arith.index_cast %first_i32 : i32 to index
    %last = arith.index_cast %last_i32 : i32 to index
    %rows = arith.subi %last, %first : index
    %a = tensor.extract_slice %x[%first, 0] [%rows, 32] [1, 1]
        : tensor<40x32xf32> to tensor<?x32xf32>
    %b = tensor.extract_slice %up[%e, 0, 0] [1, 32, 64] [1, 1, 1]
        : tensor<3x32x64xf32> to tensor<32x64xf32>
    %inner = tensor.empty(%rows) : tensor<?x64xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%inner : tensor<?x64xf32>)
        -> tensor<?x64xf32>
    %grown = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x64xf32>)
        outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
    %active = linalg.generic {
        indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%grown : tensor<?x64xf32>) outs(%inner : tensor<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.maximumf %in, %zero : f32
      linalg.yield %0 : f32
    } -> tensor<?x64xf32>
    %d = tensor.extract_slice %down[%e, 0, 0] [1, 64, 32] [1, 1, 1]
        : tensor<3x64x32xf32> to tensor<64x32xf32>
    %outer = tensor.empty(%rows) : tensor<?x32xf32>
    %fill_outer = linalg.fill ins(%zero : f32) outs(%outer : tensor<?x32xf32>)
        -> tensor<?x32xf32>
    %shrunk = linalg.matmul ins(%active, %d : tensor<?x64xf32>, tensor<64x32xf32>)
        outs(%fill_outer : tensor<?x32xf32>) -> tensor<?x32xf32>
    %merged = tensor.insert_slice %shrunk into %all[%first, 0] [%rows, 32] [1, 1]
        : tensor<?x32xf32> into tensor<40x32xf32>
    scf.yield %merged : tensor<40x32xf32>
  }
  return %result : tensor<40x32xf32>
}
