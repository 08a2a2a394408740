// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows known at run time alone: every plan is dispatched into the same C, and the
// rows leave one of them workgroups.
// RUN: iree-gemm-opt --target=ampere %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy,gemm-lower-kernels | filecheck %s

// CHECK-LABEL: func.func @rows_at_run_time
//       CHECK:   %[[M:.*]] = tensor.dim %arg0
//       CHECK:   %[[IS_MORE:.*]] = arith.cmpi ult, %c4, %[[M]]
//       CHECK:   %[[FEW:.*]] = arith.select %[[IS_MORE]], %c0{{.*}}, %[[M]]
//       CHECK:   %[[C0:.*]] = flow.dispatch @gemm_few_rows
//       CHECK:   %[[C1:.*]] = flow.dispatch @gemm_split_k_join
//  CHECK-SAME:     -> %[[C0]]
//       CHECK:   %[[IS_MANY:.*]] = arith.cmpi ult, %c256{{.*}}, %[[M]]
//       CHECK:   arith.select %[[IS_MANY]], %[[M]], %c0
//       CHECK:   %[[C2:.*]] = flow.dispatch @gemm_tile
//  CHECK-SAME:     -> %{{.*}}
//       CHECK:   return %[[C2]]
func.func @rows_at_run_time(%a: tensor<?x768xf32>, %b: tensor<768x768xf32>, %c: tensor<?x768xf32>)
    -> tensor<?x768xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<?x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}
