// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not iree-gemm-opt --target=ampere --plugin-option=report=%t/nothing/r.json %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy 2>&1 | filecheck %s

// CHECK: error: cannot write the report '{{.*}}r.json': No such file or directory

func.func @product(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
