// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy that is asked for by name, and cannot do the product.
// RUN: not iree-gemm-opt --target=ampere --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy 2>&1 | filecheck %s

// CHECK: selection.mlir:{{[0-9]+}}:8: error: strategy=few-rows cannot do 100x768x768 f32*f32->f32: few-rows: m is 100: not 1 to 8 rows
func.func @many_rows(%a: tensor<100x768xf32>, %b: tensor<768x768xf32>, %c: tensor<100x768xf32>)
    -> tensor<100x768xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "few-rows"}}
    ins(%a, %b : tensor<100x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<100x768xf32>) -> tensor<100x768xf32>
  return %0 : tensor<100x768xf32>
}

// -----

// CHECK: error: strategy=few-rows cannot do 4x64x64 f32*f32->f32: few-rows: A is not contiguous along k
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @transposed(%a: tensor<64x4xf32>, %b: tensor<64x64xf32>, %c: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  %0 = linalg.matmul indexing_maps = [#at, #b, #c]
    {gemm.options = {strategy = "few-rows"}}
    ins(%a, %b : tensor<64x4xf32>, tensor<64x64xf32>)
    outs(%c : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// CHECK: error: strategy=split-k cannot do 64x64x100 f32*f32->f32: split-k: k is 100: fewer than 128 terms
func.func @short(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "split-k"}}
    ins(%a, %b : tensor<64x100xf32>, tensor<100x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// CHECK: error: strategy=split-k cannot do {{.*}}: split-k: two planes of sums exceed 16 MiB
func.func @enough(%a: tensor<4096x256xf32>, %b: tensor<256x4096xf32>, %c: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "split-k"}}
    ins(%a, %b : tensor<4096x256xf32>, tensor<256x4096xf32>)
    outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// CHECK: error: strategy=split-k cannot do {{.*}}: split-k: the number of ranges needs static sizes
func.func @unknown_terms(%a: tensor<64x?xf32>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "split-k"}}
    ins(%a, %b : tensor<64x?xf32>, tensor<?x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// CHECK: error: strategy=cooperative cannot do 64x64x64 f32*f32->f32: {{.*}}; cooperative: no matrix units for f32 by f32
func.func @no_units(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "cooperative"}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// CHECK: error: strategy=cooperative cannot do {{.*}}; cooperative: matrix-hardware=off
func.func @forbidden(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {"matrix-hardware" = "off", strategy = "cooperative"}}
    ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// CHECK: error: gemm.options is a dictionary of strings
func.func @not_a_dictionary(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = "tile"}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
