// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simdgroup matrices of Metal: fragments of 8 x 8 with sums in f32.
// RUN: iree-gemm-opt --target=metal --plugin-option=strategy=simdgroup --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// f32 inside C and in whole steps is read where it lies; 128 terms join the total.

// CHECK-LABEL: func.func @gemm_simdgroup_64x64x256_f32_nn
//  CHECK-SAME:   gemm.msl
//       CHECK:   hal.interface.binding.subspan {{.*}} : memref<?x?xf32, #hal.descriptor_type<storage_buffer>>
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       gpu.subgroup_mma_load_matrix {{.*}} leadDimension 0 : memref<?x?xf32, #hal.descriptor_type<storage_buffer>> -> !gpu.mma_matrix<8x8xf32, "AOp">
//       CHECK:       gpu.subgroup_mma_compute {{.*}} -> !gpu.mma_matrix<8x8xf32, "COp">
//       CHECK:       scf.yield
//       CHECK:     gpu.subgroup_mma_elementwise addf
//   CHECK-NOT:   gpu.barrier
//       CHECK:   gpu.subgroup_mma_store_matrix {{.*}} leadDimension 16 : !gpu.mma_matrix<8x8xf32, "COp">, memref<1024xvector<4xf32>, #hal.descriptor_type<storage_buffer>>
//       CHECK:   return

func.func @in_place(%a: tensor<64x256xf32>, %b: tensor<256x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x256xf32>, tensor<256x64xf32>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// At the edges of C, and in the rest of k, it is staged in workgroup memory.

// CHECK-LABEL: func.func @gemm_simdgroup_65x64x40_f32_nn
//       CHECK:   scf.if %{{.*}} -> (!gpu.mma_matrix<8x8xf32, "COp">
//       CHECK:     gpu.subgroup_mma_load_matrix {{.*}} memref<?x?xf32, #hal.descriptor_type<storage_buffer>>
//       CHECK:   } else {
//       CHECK:     gpu.barrier memfence [#gpu.address_space<workgroup>]
//       CHECK:     gpu.subgroup_mma_load_matrix {{.*}} memref<{{.*}}xvector<4xi32>, #gpu.address_space<workgroup>>
//       CHECK:   }
//       CHECK:   arith.select
//       CHECK:   gpu.barrier
//       CHECK:   gpu.subgroup_mma_load_matrix {{.*}} memref<{{.*}}xvector<4xi32>, #gpu.address_space<workgroup>>

func.func @edges(%a: tensor<65x40xf32>, %b: tensor<40x64xf32>) -> tensor<65x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<65x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<65x64xf32>) -> tensor<65x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<65x40xf32>, tensor<40x64xf32>)
    outs(%init : tensor<65x64xf32>) -> tensor<65x64xf32>
  return %0 : tensor<65x64xf32>
}

// -----

// f16 is staged as it lies, 16 bytes a load; all of k is one chain. Long k takes steps
// of 32 terms: four of 8 are written out.

// CHECK-LABEL: func.func @gemm_simdgroup_64x64x256_f16_f32_nt
//       CHECK:   hal.interface.binding.subspan {{.*}} : memref<2048xvector<4xi32>, #hal.descriptor_type<storage_buffer>>
//       CHECK:   scf.for
// CHECK-COUNT-2:   gpu.barrier memfence [#gpu.address_space<workgroup>]
// CHECK-COUNT-16:  gpu.subgroup_mma_load_matrix {{.*}} -> !gpu.mma_matrix<8x8xf16, "AOp">
//   CHECK-NOT:     gpu.subgroup_mma_load_matrix {{.*}} "AOp"
//       CHECK:     scf.yield
//   CHECK-NOT:   gpu.subgroup_mma_elementwise
//       CHECK:   return

func.func @halves(%a: tensor<64x256xf16>, %b: tensor<64x256xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    indexing_maps = [
      affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>
    ]
    ins(%a, %b : tensor<64x256xf16>, tensor<64x256xf16>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// bf16 is staged as f32, which holds it exactly.

// CHECK-LABEL: func.func @gemm_simdgroup_64x64x16_bf16_f32_nn
//       CHECK:   arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
//       CHECK:   gpu.subgroup_mma_load_matrix {{.*}} -> !gpu.mma_matrix<8x8xf32, "AOp">

func.func @bfloats(%a: tensor<64x16xbf16>, %b: tensor<16x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x16xbf16>, tensor<16x64xbf16>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// i8 is multiplied as f16; every 1024 terms join totals in i32.

// CHECK-LABEL: func.func @gemm_simdgroup_64x64x2048_i32_i8_nn
//       CHECK:   arith.sitofp %{{.*}} : vector<4xi8> to vector<4xf16>
//       CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c64
//       CHECK:     scf.for
//       CHECK:       gpu.subgroup_mma_compute {{.*}} -> !gpu.mma_matrix<8x8xf32, "COp">
//       CHECK:     gpu.subgroup_mma_store_matrix
//       CHECK:     arith.fptosi %{{.*}} : vector<4xf32> to vector<4xi32>
//       CHECK:     arith.addi %{{.*}} : vector<4xi32>

func.func @integers(%a: tensor<64x2048xi8>, %b: tensor<2048x64xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<64x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<64x64xi32>) -> tensor<64x64xi32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x2048xi8>, tensor<2048x64xi8>)
    outs(%init : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// Long k on few tiles is summed in ranges, each into its own plane of scratch.

// CHECK-LABEL: func.func @gemm_simdgroup_split_k_join_64x64x2048_f32_nn_0() attributes {translation_info
//       CHECK:   return
// CHECK-LABEL: func.func @gemm_simdgroup_split_k_ranges_64x64x2048_f32_nn
//  CHECK-SAME:   gemm.msl
//       CHECK:   gpu.subgroup_mma_store_matrix {{.*}} memref<32768xf32, #hal.descriptor_type<storage_buffer>>

func.func @ranges(%a: tensor<64x2048xf32>, %b: tensor<2048x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x2048xf32>, tensor<2048x64xf32>)
    outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
