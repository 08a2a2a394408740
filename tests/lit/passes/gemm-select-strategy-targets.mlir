// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same product on targets of different kinds.
// RUN: iree-gemm-opt --target=default %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=SMALL
// RUN: iree-gemm-opt --target=llvmpipe %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=SOFTWARE
// RUN: iree-gemm-opt --target=ampere %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=GPU
// RUN: iree-gemm-opt --target=metal %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=METAL
// RUN: iree-gemm-opt %s --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s --check-prefix=NONE

// The default Vulkan target has 128 invocations: a smaller tile.

// SMALL-LABEL: func.func @product
//       SMALL:   slices = 1 : i64, {{.*}}tile_m = 32 : i64, tile_n = 32 : i64
//  SMALL-SAME:   strategy = "tile"

// Software has no use for workgroup memory.

// SOFTWARE-LABEL: func.func @product
//       SOFTWARE:   strategy = "direct"

// GPU-LABEL: func.func @product
//       GPU:   slices = 4 : i64, {{.*}}tile_m = 32 : i64, tile_n = 32 : i64
//  GPU-SAME:   strategy = "tile"

// METAL-LABEL: func.func @product
//       METAL:   strategy = "{{tile|direct|simdgroup}}"

// Without a device there is nothing to choose by.

// NONE-LABEL: func.func @product
//       NONE:   reason = "the module names no device: use --target or --iree-hal-target
//  NONE-SAME:   strategy = "iree"
func.func @product(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
