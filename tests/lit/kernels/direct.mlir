// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles straight from the buffers, for software Vulkan.
// RUN: iree-gemm-opt --target=llvmpipe --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Neither workgroup memory nor barriers, and no checks where tiles divide all sizes.

// CHECK-LABEL: func.func @gemm_direct_128x128x64_f32_nn
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   gpu.barrier
//   CHECK-NOT:   scf.if
//       CHECK:   scf.for
//       CHECK:     memref.load {{.*}}vector<4xf32>
//       CHECK:     math.fma
//   CHECK-NOT:   scf.if
//       CHECK:   memref.store {{.*}}vector<4xf32>
//   CHECK-NOT:   gpu.barrier
//   CHECK-NOT:   scf.if
//       CHECK:   return

func.func @whole(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>)
    outs(%init : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @gemm_direct_65x63x31_f32_nn
//   CHECK-NOT:   gpu.barrier
//       CHECK:   math.fma
//       CHECK:   scf.if
//       CHECK:   memref.store
//   CHECK-NOT:   gpu.barrier
//       CHECK:   return

func.func @edges(%a: tensor<65x31xf32>, %b: tensor<31x63xf32>) -> tensor<65x63xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<65x63xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<65x63xf32>) -> tensor<65x63xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<65x31xf32>, tensor<31x63xf32>)
    outs(%init : tensor<65x63xf32>) -> tensor<65x63xf32>
  return %0 : tensor<65x63xf32>
}
