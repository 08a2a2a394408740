// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of k write planes of sums; a second kernel adds those and does the epilogue.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=split-k --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Planes are added in the order of their ranges, then comes C.

// CHECK-LABEL: func.func @gemm_split_k_join_1024x384x1536_f32_nn
//   CHECK-NOT:   gpu.barrier
//       CHECK:   %[[OLD:.*]] = hal.interface.binding.subspan {{.*}} binding(0)
//       CHECK:   %[[PLANES:.*]] = hal.interface.binding.subspan {{.*}} binding(1)
//       CHECK:   %[[P0:.*]] = memref.load %[[PLANES]]
//       CHECK:   %[[P1:.*]] = memref.load %[[PLANES]]
//       CHECK:   %[[P2:.*]] = memref.load %[[PLANES]]
//       CHECK:   %[[P3:.*]] = memref.load %[[PLANES]]
//       CHECK:   %[[S1:.*]] = arith.addf %[[P0]], %[[P1]] : vector<4xf32>
//       CHECK:   %[[S2:.*]] = arith.addf %[[S1]], %[[P2]]
//       CHECK:   %[[S3:.*]] = arith.addf %[[S2]], %[[P3]]
//       CHECK:   %[[C:.*]] = memref.load %[[OLD]]
//       CHECK:   arith.addf {{.*}}%[[C]]
//       CHECK:   memref.store
//   CHECK-NOT:   arith.addf
//       CHECK:   return

// Four ranges share a tile. They do not read C, nor write it.

//       CHECK: hal.executable.source private @gemm_split_k_ranges_1024x384x1536_f32_nn
//       CHECK:   arith.muli {{.*}}, %c4
//       CHECK:   hal.return
// CHECK-LABEL: func.func @gemm_split_k_ranges_1024x384x1536_f32_nn
//   CHECK-NOT:   binding(3)
//       CHECK:   %[[PLANES:.*]] = hal.interface.binding.subspan {{.*}} binding(2) {{.*}}: memref<393216xvector<4xf32>
// CHECK-COUNT-512:   math.fma
// CHECK-COUNT-8:   memref.store {{.*}}, %[[PLANES]]
//       CHECK:   return

// The planes go from one dispatch to the other.

// CHECK-LABEL: func.func @four_ranges
//       CHECK:   %[[SUMS:.*]] = flow.dispatch @gemm_split_k_ranges{{.*}}(%arg0, %arg1)
//  CHECK-SAME:     -> tensor<1572864xf32>
//       CHECK:   flow.dispatch @gemm_split_k_join{{.*}}(%arg2, %[[SUMS]])
//  CHECK-SAME:     -> tensor<1024x384xf32>
func.func @four_ranges(%a: tensor<1024x1536xf32>, %b: tensor<1536x384xf32>, %c: tensor<1024x384xf32>)
    -> tensor<1024x384xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<1024x1536xf32>, tensor<1536x384xf32>)
    outs(%c : tensor<1024x384xf32>) -> tensor<1024x384xf32>
  return %0 : tensor<1024x384xf32>
}
