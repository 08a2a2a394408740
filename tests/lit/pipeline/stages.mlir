// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the stock compiler makes of our kernels, stage by stage.
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
// RUN:   --compile-to=preprocessing %s | filecheck %s --check-prefix=PREPROCESSING
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
// RUN:   --compile-to=stream %s | filecheck %s --check-prefix=STREAM
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
// RUN:   --compile-to=executable-targets %s | filecheck %s --check-prefix=SPIRV

// The product is out of the way before IREE forms its dispatches; the rest is IREE's.

// PREPROCESSING-LABEL: hal.executable.source private @gemm_direct_64x48x32_f32_nn_0
// PREPROCESSING-LABEL: util.func public @product
//       PREPROCESSING:   %[[C:.*]] = flow.dispatch @gemm_direct_64x48x32_f32_nn_0
//       PREPROCESSING:   linalg.softmax {{.*}} ins(%[[C]]
//   PREPROCESSING-NOT:   linalg.matmul

// The kernel reads the operands and writes C without copies.

// STREAM-LABEL: util.func public @product
//   STREAM-NOT:   stream.cmd.copy
//       STREAM:   stream.cmd.dispatch @gemm_direct_64x48x32_f32_nn_0
//  STREAM-NEXT:     ro %{{.*}}
//  STREAM-NEXT:     ro %{{.*}}
//  STREAM-NEXT:     {{wo|rw}} %{{.*}}
//   STREAM-NOT:   stream.cmd.copy

// SPIRV-LABEL: hal.executable private @gemm_direct_64x48x32_f32_nn_0
//       SPIRV:   spirv.func @gemm_direct_64x48x32_f32_nn_0
//       SPIRV:     spirv.GL.Fma
//   SPIRV-NOT:     spirv.ControlBarrier
//       SPIRV:   hal.executable private

func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
    outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.softmax dimension(1)
    ins(%0 : tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}
