// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds a kernel: its executable and its call.
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=tile %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// Products that need the same kernel share it, others do not. Workgroups are counted
// from the rows, columns and matrices that a dispatch has.

// CHECK-COUNT-4: hal.executable.source
//   CHECK-NOT: hal.executable.source
//       CHECK:   hal.executable.export public @[[NAME:gemm_tile_100x200x30_f32_nn_0]] ordinal(0) layout(#{{.*}}) count(%{{.*}}: !hal.device, %[[M:.*]]: index, %[[N:.*]]: index, %[[BATCH:.*]]: index)
//       CHECK:     arith.addi %[[N]], %c31
//       CHECK:     %[[X:.*]] = arith.divui
//       CHECK:     arith.addi %[[M]], %c31
//       CHECK:     %[[Y:.*]] = arith.divui
//       CHECK:     hal.return %[[X]], %[[Y]], %[[BATCH]] : index, index, index
//       CHECK:   builtin.module
//       CHECK:     func.func @[[NAME]]() attributes {translation_info = #{{.*}}}

// CHECK-LABEL: func.func @static
//       CHECK:   %[[R:.*]] = flow.dispatch @[[NAME]]::@[[NAME]][%c100, %c200, %c1](%arg0, %arg1, %arg2) : (tensor<100x30xf32>, tensor<30x200xf32>, tensor<100x200xf32>) -> tensor<100x200xf32>
//  CHECK-NEXT:   return %[[R]]
func.func @static(%a: tensor<100x30xf32>, %b: tensor<30x200xf32>, %c: tensor<100x200xf32>)
    -> tensor<100x200xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<100x30xf32>, tensor<30x200xf32>)
    outs(%c : tensor<100x200xf32>) -> tensor<100x200xf32>
  return %0 : tensor<100x200xf32>
}

// CHECK-LABEL: func.func @same
//       CHECK:   flow.dispatch @[[NAME]]::@[[NAME]]
func.func @same(%a: tensor<100x30xf32>, %b: tensor<30x200xf32>, %c: tensor<100x200xf32>)
    -> tensor<100x200xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<100x30xf32>, tensor<30x200xf32>)
    outs(%c : tensor<100x200xf32>) -> tensor<100x200xf32>
  return %0 : tensor<100x200xf32>
}

// Sizes known at run time alone come from the operands, and go to the kernel as words.

// CHECK-LABEL: func.func @dynamic
//       CHECK:   %[[M:.*]] = tensor.dim %arg0, %c0
//       CHECK:   %[[N:.*]] = tensor.dim %arg1, %c1
//       CHECK:   %[[WORD:.*]] = arith.index_cast %[[M]] : index to i32
//       CHECK:   flow.dispatch @[[NAME:gemm_tile_DxDxD_f32_nn_0]]::@[[NAME]][%[[M]], %[[N]], %c1{{.*}}](%[[WORD]], {{.*}} -> tensor<?x?xf32>{%[[M]], %[[N]]}
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
    outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// One kernel that reads the old C, and one that does not.

// CHECK-LABEL: func.func @accumulating
//       CHECK:   flow.dispatch @gemm_tile_5x8x4_f32_nn_0{{.*}}(%arg0, %arg1, %arg2)
func.func @accumulating(%a: tensor<5x4xf32>, %b: tensor<4x8xf32>, %c: tensor<5x8xf32>)
    -> tensor<5x8xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<5x4xf32>, tensor<4x8xf32>)
    outs(%c : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// CHECK-LABEL: func.func @plain
//       CHECK:   flow.dispatch @gemm_tile_5x8x4_f32_nn_1{{.*}}(%arg0, %arg1)
func.func @plain(%a: tensor<5x4xf32>, %b: tensor<4x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x8xf32>) -> tensor<5x8xf32>
  %0 = linalg.matmul
    ins(%a, %b : tensor<5x4xf32>, tensor<4x8xf32>)
    outs(%init : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}
