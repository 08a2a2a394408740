// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// B is streamed once; slices of k meet in workgroup memory.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=few-rows --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Each invocation chains its terms, then the sums of the slices are added.

//       CHECK: pipeline = #iree_codegen.no_pipeline workgroup_size = [512, 1, 1]>
// CHECK-LABEL: func.func @gemm_few_rows_4x768x4096_f32_nn
//       CHECK:   scf.for
//       CHECK:     memref.load {{.*}}vector<4xf32>
//       CHECK:     math.fma
//       CHECK:   memref.store {{.*}}#gpu.address_space<workgroup>
//       CHECK:   gpu.barrier memfence [#gpu.address_space<workgroup>]
//       CHECK:   arith.addf
//       CHECK:   memref.store {{.*}}#hal.descriptor_type<storage_buffer>
//       CHECK:   return

func.func @rows(%a: tensor<4x4096xf32>, %b: tensor<4096x768xf32>) -> tensor<4x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x768xf32>) -> tensor<4x768xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<4x4096xf32>, tensor<4096x768xf32>)
    outs(%init : tensor<4x768xf32>) -> tensor<4x768xf32>
  return %0 : tensor<4x768xf32>
}
