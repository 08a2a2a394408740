// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles from operands staged in workgroup memory.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=tile --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Where tiles divide all sizes: nothing is checked, 16 bytes move at a time, C is
// written once. A step is loaded before the barrier that frees the memory it goes to.

//       CHECK: pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1]>
// CHECK-LABEL: func.func @gemm_tile_1024x1536x64_f32_nn
// CHECK-COUNT-2:   memref.alloc() : {{.*}}#gpu.address_space<workgroup>
//   CHECK-NOT:   scf.if
//   CHECK-NOT:   arith.cmpi
//       CHECK:   scf.for
//       CHECK:     gpu.barrier memfence [#gpu.address_space<workgroup>]
//       CHECK:     memref.store {{.*}}#gpu.address_space<workgroup>
//       CHECK:     gpu.barrier memfence [#gpu.address_space<workgroup>]
// CHECK-COUNT-512:     math.fma
//   CHECK-NOT:   math.fma
//   CHECK-NOT:   gpu.barrier
//   CHECK-NOT:   arith.addf
//   CHECK-NOT:   scf.if
// CHECK-COUNT-8:   memref.store {{.*}}vector<4xf32>
//       CHECK:   return

func.func @whole(%a: tensor<1024x64xf32>, %b: tensor<64x1536xf32>) -> tensor<1024x1536xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1536xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1536xf32>) -> tensor<1024x1536xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x64xf32>, tensor<64x1536xf32>)
    outs(%init : tensor<1024x1536xf32>) -> tensor<1024x1536xf32>
  return %0 : tensor<1024x1536xf32>
}

// -----

// Edges are checked where C is stored, and the last terms where they are loaded.

// CHECK-LABEL: func.func @gemm_tile_65x63x31_f32_nn
//       CHECK:   arith.select
//       CHECK:   math.fma
//       CHECK:   scf.if
//  CHECK-NEXT:     {{.*}}
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

// -----

// Chains of 128 terms join the total.

// CHECK-LABEL: func.func @gemm_tile_1024x1536x512_f32_nn
//       CHECK:   %[[CHAIN:.*]] = arith.constant 128 : index
//       CHECK:   scf.for {{.*}} step %[[CHAIN]]
//       CHECK:     scf.for
// CHECK-COUNT-512:       math.fma
// CHECK-COUNT-32:     arith.addf
//   CHECK-NOT:     arith.addf
//       CHECK:   return

func.func @chains(%a: tensor<1024x512xf32>, %b: tensor<512x1536xf32>) -> tensor<1024x1536xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1536xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1536xf32>) -> tensor<1024x1536xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x512xf32>, tensor<512x1536xf32>)
    outs(%init : tensor<1024x1536xf32>) -> tensor<1024x1536xf32>
  return %0 : tensor<1024x1536xf32>
}

// -----

// Sizes known at run time come as constants, one for each.

// CHECK-LABEL: func.func @gemm_tile_DxDxD_f32_nn
// CHECK-COUNT-3:   hal.interface.constant.load
//   CHECK-NOT:   hal.interface.constant.load
//       CHECK:   return

func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
    outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The bias is loaded before the rows are stored, the other operand with them.

// CHECK-LABEL: func.func @gemm_tile_1024x1536x128_f32_nn
//       CHECK:   %[[ADDED:.*]] = hal.interface.binding.subspan {{.*}} binding(2)
//       CHECK:   %[[C:.*]] = hal.interface.binding.subspan {{.*}} binding(3)
// CHECK-COUNT-256:   math.fma
//       CHECK:   %[[OLD:.*]] = memref.load %[[ADDED]]
//       CHECK:   %[[NEW:.*]] = arith.addf {{.*}}%[[OLD]]
//       CHECK:   memref.store %[[NEW]], %[[C]]

func.func @accumulate(%a: tensor<1024x128xf32>, %b: tensor<128x1536xf32>, %c: tensor<1024x1536xf32>)
    -> tensor<1024x1536xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x128xf32>, tensor<128x1536xf32>)
    outs(%c : tensor<1024x1536xf32>) -> tensor<1024x1536xf32>
  return %0 : tensor<1024x1536xf32>
}

// -----

// Four slices of a workgroup have a quarter of each k step; two of them give their sums
// to the others, then one to the other, which alone stores C.

//       CHECK: pipeline = #iree_codegen.no_pipeline workgroup_size = [256, 1, 1]>
// CHECK-LABEL: func.func @gemm_tile_64x64x256_f32_nn
// CHECK-COUNT-2:   memref.alloc() : {{.*}}#gpu.address_space<workgroup>
//       CHECK:   scf.for
// CHECK-COUNT-128:     math.fma
//   CHECK-NOT:   math.fma
//       CHECK:   scf.if
// CHECK-COUNT-4:     memref.store
//       CHECK:   gpu.barrier
// CHECK-COUNT-4:   arith.addf {{.*}} : vector<4xf32>
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
// CHECK-COUNT-4:     memref.store
//       CHECK:   gpu.barrier
// CHECK-COUNT-4:   arith.addf {{.*}} : vector<4xf32>
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.if
// CHECK-COUNT-4:     memref.store {{.*}}#hal.descriptor_type<storage_buffer>
//       CHECK:   return

func.func @slices(%a: tensor<64x256xf32>, %b: tensor<256x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x256xf32>, tensor<256x64xf32>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
