// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IREE evaluates what is made of constants alone on the CPU of the compiler.
// RUN: iree-gemm-opt --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   --target=llvmpipe %s | filecheck %s

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @constants
// CHECK: reason = "constant: IREE evaluates it at compile time"
func.func @constants() -> tensor<2x2xf32> {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %c = arith.constant dense<0.0> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %t = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%x: f32, %z: f32):
    %1 = math.exp %x : f32
    linalg.yield %1 : f32
  } -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%t, %a : tensor<2x2xf32>, tensor<2x2xf32>)
    outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// What a region reads from around it counts as well: rows are picked from %rows.
// CHECK-LABEL: func.func @picked
// CHECK-NOT: strategy = "iree"
// CHECK: return
func.func @picked(%rows: tensor<9x2xf32>) -> tensor<2x2xf32> {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %c = arith.constant dense<0.0> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %t = linalg.generic {indexing_maps = [#id],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x2xf32>) {
  ^bb0(%z: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = tensor.extract %rows[%i, %j] : tensor<9x2xf32>
    linalg.yield %1 : f32
  } -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%t, %a : tensor<2x2xf32>, tensor<2x2xf32>)
    outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
