// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Batch and sequence are collapsed before a product and expanded after it: what
// follows the expansion folds as well.

#id = affine_map<(i, j, k) -> (i, j, k)>

// CHECK-LABEL: func.func @rows
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2, %arg0, %{{.*}}, %{{.*}})
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: iterators = ["m", "m", "n", "k"]
// CHECK: return %[[R]]
func.func @rows(%a: tensor<?x?x3xf32>, %b: tensor<3x3xf32>, %bias: tensor<3xf32>)
    -> tensor<?x?x3xf32> {
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = tensor.dim %a, %i0 : tensor<?x?x3xf32>
  %s = tensor.dim %a, %i1 : tensor<?x?x3xf32>
  %rows = arith.muli %n, %s : index
  %x = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x?x3xf32> into tensor<?x3xf32>
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = linalg.matmul ins(%x, %b : tensor<?x3xf32>, tensor<3x3xf32>)
    outs(%c : tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x3xf32>, tensor<3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%u: f32, %v: f32, %z: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x3xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [%n, %s, 3]
    : tensor<?x3xf32> into tensor<?x?x3xf32>
  %f = tensor.empty(%n, %s) : tensor<?x?x3xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2, %a : tensor<?x?x3xf32>, tensor<?x?x3xf32>)
      outs(%f : tensor<?x?x3xf32>) {
  ^bb0(%u: f32, %v: f32, %z: f32):
    %t = arith.subf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x3xf32>
  return %3 : tensor<?x?x3xf32>
}

// Other sizes are other dimensions.
// CHECK-LABEL: func.func @other_sizes
// CHECK: %[[R:.*]] = "gemm.matmul"
// CHECK: stop = "tensor.expand_shape of sizes known only at run time"
// CHECK: tensor.expand_shape %[[R]]
func.func @other_sizes(%a: tensor<?x?x3xf32>, %b: tensor<3x3xf32>, %c: tensor<?x3xf32>,
    %n: index, %s: index) -> tensor<?x?x3xf32> {
  %x = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x?x3xf32> into tensor<?x3xf32>
  %0 = linalg.matmul ins(%x, %b : tensor<?x3xf32>, tensor<3x3xf32>)
    outs(%c : tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [%n, %s, 3]
    : tensor<?x3xf32> into tensor<?x?x3xf32>
  return %1 : tensor<?x?x3xf32>
}
