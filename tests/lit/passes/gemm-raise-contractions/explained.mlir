// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was folded, what was not and why, as people read it.
// RUN: iree-gemm explain --target=llvmpipe %s | filecheck %s
// RUN: iree-gemm explain --target=llvmpipe --format=json %s \
// RUN:   | filecheck %s --check-prefix=JSON

// CHECK: location B M N K types layout folded next strategy
// CHECK-NEXT: explained.mlir:{{[0-9]+}}:8 1 ? 7 3 f32*f32->f32 NN row bias, relu a reduction
// CHECK-NEXT: explained.mlir:{{[0-9]+}}:8 - left to IREE: neither operand is a matrix: these are dot products
// CHECK-NEXT: 1 of 2 products taken

// JSON: "m": "?",
// JSON: "folded": [
// JSON-NEXT: "row bias",
// JSON-NEXT: "relu"
// JSON: "next": "a reduction",
// JSON: "reason": "neither operand is a matrix: these are dot products"

#id = affine_map<(i, j) -> (i, j)>

func.func @layer(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>, %bias: tensor<7xf32>)
    -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %m = tensor.dim %a, %first : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x7xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  %d = linalg.fill ins(%zero : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x7xf32>, tensor<7xf32>) outs(%e : tensor<?x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.addf %x, %y : f32
    %u = arith.maximumf %t, %zero : f32
    linalg.yield %u : f32
  } -> tensor<?x7xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<?x7xf32>) outs(%d : tensor<?xf32>)
    dimensions = [1]
  return %2 : tensor<?xf32>
}

func.func @dots(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>, %c: tensor<5xf32>)
    -> tensor<5xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf32>, tensor<5x3xf32>) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
