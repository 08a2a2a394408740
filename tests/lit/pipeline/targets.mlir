// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole modules for every kind of target, each with all forms of kernel.
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=ampere %s -o %t.vmfb
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=ampere \
// RUN:   --compile-to=executable-sources %s | filecheck %s
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=adreno %s -o %t.vmfb
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan %s -o %t.vmfb
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=metal %s -o %t.vmfb

// CHECK-DAG: hal.executable{{.*}} @gemm_tile_64x64x64_f32_nn
// CHECK-DAG: hal.executable{{.*}} @gemm_split_k_ranges_65x63x2300_f32_nn
// CHECK-DAG: hal.executable{{.*}} @gemm_split_k_join_65x63x2300_f32_nn
// CHECK-DAG: hal.executable{{.*}} @gemm_few_rows_2x64x64_f32_nn

func.func @tile(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

func.func @ranges(%a: tensor<65x2300xf32>, %b: tensor<2300x63xf32>, %c: tensor<65x63xf32>)
    -> tensor<65x63xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<65x2300xf32>, tensor<2300x63xf32>)
    outs(%c : tensor<65x63xf32>) -> tensor<65x63xf32>
  return %0 : tensor<65x63xf32>
}

func.func @few(%a: tensor<2x64xf32>, %b: tensor<64x64xf32>, %c: tensor<2x64xf32>)
    -> tensor<2x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<2x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

func.func @rows(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
