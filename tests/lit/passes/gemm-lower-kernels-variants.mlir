// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel for matrix units has a portable one beside it; the device that runs the
// program is asked for all that the first one needs.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=cooperative %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// CHECK-LABEL: hal.executable private @gemm_cooperative
//       CHECK:   hal.executable.variant public @[[FIRST:.*]] target(
//       CHECK:     hal.executable.condition(%[[DEVICE:.*]]: !hal.device) -> i1
//   CHECK-DAG:       key("vulkan.cooperative_matrix" :: "supported")
//   CHECK-DAG:       key("vulkan.feature" :: "shader_float16")
//   CHECK-DAG:       key("vulkan.device" :: "max_compute_workgroup_invocations")
//   CHECK-DAG:       key("vulkan.device" :: "subgroup_size")
//       CHECK:       hal.return
//       CHECK:     hal.executable.export public @[[NAME:gemm_cooperative.*]] ordinal(0)
//       CHECK:     func.func @[[NAME]]
//       CHECK:       gpu.subgroup_mma_compute
//       CHECK:   hal.executable.variant public @[[SECOND:.*]] target(
//   CHECK-NOT:     hal.executable.condition
//       CHECK:     hal.executable.export public @[[NAME]] ordinal(0)
//       CHECK:     func.func @[[NAME]]
//   CHECK-NOT:       gpu.subgroup_mma_compute
//       CHECK:       math.fma

// CHECK-LABEL: func.func @half
//       CHECK:   flow.dispatch {{[{]}}@[[NAME]]::@[[FIRST]]::@[[NAME]], @[[NAME]]::@[[SECOND]]::@[[NAME]]}[%c256, %c128, %c1]
func.func @half(%a: tensor<256x64xf16>, %b: tensor<64x128xf16>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<256x64xf16>, tensor<64x128xf16>)
    outs(%init : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
