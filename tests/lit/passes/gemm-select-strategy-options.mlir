// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the pass, and those of one operation over them.
// RUN: iree-gemm-opt --target=ampere %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s
// RUN: iree-gemm-opt --target=ampere --plugin-option=mode=deterministic %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   | filecheck %s --check-prefix=PORTABLE
// RUN: iree-gemm-opt --target=ampere --plugin-option=matrix-hardware=off %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   | filecheck %s --check-prefix=PORTABLE
// RUN: iree-gemm-opt --target=ampere --plugin-option=strategy=off %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy \
// RUN:   | filecheck %s --check-prefix=OFF

// CHECK-LABEL: func.func @plain
//       CHECK:   strategy = "cooperative"

// PORTABLE-LABEL: func.func @plain
//       PORTABLE:   strategy = "{{split-k|tile}}"

// OFF-LABEL: func.func @plain
//       OFF:   reason = "strategy=off"
//  OFF-SAME:   strategy = "iree"
func.func @plain(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x256xf16>, tensor<256x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @tile
//       CHECK:   iterators = {{.*}} strategy = "tile"

// OFF-LABEL: func.func @tile
//       OFF:   iterators = {{.*}} strategy = "tile"
func.func @tile(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "tile"}}
    ins(%a, %b : tensor<64x256xf16>, tensor<256x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @off
//       CHECK:   reason = "strategy=off"
//  CHECK-SAME:   strategy = "iree"
func.func @off(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {strategy = "off"}}
    ins(%a, %b : tensor<64x256xf16>, tensor<256x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @portable
//       CHECK:   iterators = {{.*}} strategy = "split-k"
func.func @portable(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {"matrix-hardware" = "off", strategy = "split-k"}}
    ins(%a, %b : tensor<64x256xf16>, tensor<256x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @deterministic
//   CHECK-NOT:   strategy = "cooperative"
//       CHECK:   strategy = "tile"
func.func @deterministic(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {gemm.options = {mode = "deterministic"}}
    ins(%a, %b : tensor<64x256xf16>, tensor<256x64xf16>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
