// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
// RUN:   --compile-to=preprocessing %s | filecheck %s
// RUN: iree-gemm compile --iree-hal-target-device=vulkan \
// RUN:   --iree-vulkan-target=llvmpipe --compile-to=preprocessing %s | filecheck %s
// RUN: iree-compile --iree-load-plugin=%plugin --iree-hal-target-device=vulkan \
// RUN:   --compile-to=preprocessing %s | filecheck %s --check-prefix=INACTIVE
// RUN: env IREE_GEMM_OPTIONS=strategy=off iree-compile --iree-load-plugin=%plugin \
// RUN:   --iree-plugin=gemm --iree-hal-target-device=vulkan \
// RUN:   --compile-to=preprocessing %s | filecheck %s --check-prefix=INACTIVE

// The kernel of a product reaches the module with a name that says whose it is.

// CHECK-LABEL: hal.executable.source private @gemm
//       CHECK:   pipeline = #iree_codegen.no_pipeline
// CHECK-LABEL: util.func public @product
//   CHECK-NOT:   linalg.matmul
//       CHECK:   flow.dispatch @gemm

// INACTIVE-LABEL: util.func public @product
//       INACTIVE:   linalg.matmul

func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>)
    -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>)
    -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
    outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %c : tensor<64x48xf32>
}
