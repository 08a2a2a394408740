// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR has no bfloat16 fragments: the kernel is made with f16 ones, then translated,
// retyped and embedded. The portable variant stays as it is.
// RUN: iree-gemm-opt --target=ampere %s --plugin-option=strategy=cooperative \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels \
// RUN:   | filecheck %s --check-prefix=BEFORE
// RUN: iree-gemm-opt --target=ampere %s --plugin-option=strategy=cooperative \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels,gemm-embed-spirv \
// RUN:   | filecheck %s --check-prefix=AFTER

// BEFORE-LABEL: hal.executable.variant public @matrix_units
//   BEFORE-DAG:   key("vulkan.feature" :: "shader_bfloat16_cooperative_matrix")
//   BEFORE-NOT:   subgroup_size_control
//       BEFORE:   func.func {{.*}} attributes {gemm.bfloat16, translation_info
//       BEFORE:     -> !gpu.mma_matrix<16x16xf16, "AOp">

// AFTER-LABEL: hal.executable.variant public @matrix_units
//  AFTER-SAME:   objects([#hal.executable.object<{{.*}}path = "gemm_cooperative_128x64x64_bf16_f32_nn_0.spv"
//       AFTER:   hal.executable.condition
//       AFTER:   hal.executable.export public @gemm_cooperative_128x64x64_bf16_f32_nn_0
//   AFTER-NOT:   func.func
//       AFTER: hal.executable.variant public @portable
//       AFTER:   func.func @gemm_cooperative_128x64x64_bf16_f32_nn_0
//   AFTER-NOT:   gemm.bfloat16
func.func @bfloats(%a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x64xf32>) -> tensor<128x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<128x64xbf16>, tensor<64x64xbf16>)
    outs(%init : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
