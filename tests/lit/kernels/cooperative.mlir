// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments of matrix units, from operands staged as they are.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=cooperative --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Subgroups of 32 are asked for. The fragments are multiplied in the inputs' own type,
// their sums stay in registers over all of k.

//       CHECK: pipeline = #iree_codegen.no_pipeline {{.*}} subgroup_size = 32>
// CHECK-LABEL: func.func @gemm_cooperative_256x256x256_f16_f32_nn
//       CHECK:   memref.alloc() : {{.*}}#gpu.address_space<workgroup>
//       CHECK:   scf.for {{.*}} -> {{.*}}!gpu.mma_matrix<16x16xf32, "COp">
//       CHECK:     gpu.barrier memfence [#gpu.address_space<workgroup>]
//       CHECK:     gpu.subgroup_mma_load_matrix {{.*}} -> !gpu.mma_matrix<16x16xf16, "AOp">
//       CHECK:     gpu.subgroup_mma_load_matrix {{.*}} -> !gpu.mma_matrix<16x16xf16, "BOp">
//       CHECK:     gpu.subgroup_mma_compute
//       CHECK:   return

func.func @half(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>)
    outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
