// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simdgroup matrices of Metal, from operands staged in workgroup memory.
// RUN: iree-gemm-opt --target=metal --plugin-option=strategy=simdgroup %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Fragments of 8 x 8 with sums in f32. What is multiplied as f32 joins the total after
// 128 terms.

// CHECK-LABEL: func.func @gemm_simdgroup_64x64x256_f32_nn
//  CHECK-SAME:   gemm.msl
//       CHECK:   memref.alloc() : {{.*}}#gpu.address_space<workgroup>
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       gpu.barrier memfence [#gpu.address_space<workgroup>]
//       CHECK:       gpu.subgroup_mma_load_matrix {{.*}} -> !gpu.mma_matrix<8x8xf32, "AOp">
//       CHECK:       gpu.subgroup_mma_compute {{.*}} -> !gpu.mma_matrix<8x8xf32, "COp">
//       CHECK:     gpu.subgroup_mma_elementwise addf
//       CHECK:   return

func.func @single(%a: tensor<64x256xf32>, %b: tensor<256x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x256xf32>, tensor<256x64xf32>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
