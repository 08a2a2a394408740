// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// What follows a product folds into its epilogue while one value is left.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @bias_and_gelu
// The biased product is read twice.
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK: %[[X:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK: math.erf
// CHECK: arith.mulf %[[X]],
// CHECK: stop = "end of the function"
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @bias_and_gelu(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %bias: tensor<7xf32>)
    -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<5x7xf32>, tensor<7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.mulf %x, %root : f32
    %t = math.erf %s : f32
    %u = arith.addf %t, %one : f32
    %v = arith.mulf %u, %half : f32
    linalg.yield %v : f32
  } -> tensor<5x7xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%1, %2 : tensor<5x7xf32>, tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.mulf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  return %3 : tensor<5x7xf32>
}

// The result and its cast leave together.
// CHECK-LABEL: func.func @two_results
// CHECK: %[[R:.*]]:2 = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[T:.*]] = arith.addf
// CHECK: %[[H:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK: yield %[[T]], %[[H]] : f32, f16
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @two_results(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf16>) {
  %e = tensor.empty() : tensor<5x7xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf16>) {
  ^bb0(%x: f32, %z: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<5x7xf16>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf16>
}

// The product is needed as well as its relu: the relu stays outside.
// CHECK-LABEL: func.func @several_values
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: stop = "several values of the chain are read"
// CHECK: linalg.generic {{.*}}ins(%[[R]]
func.func @several_values(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %z: f32):
    %t = arith.maximumf %x, %zero : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}

// A norm: the mean is read by what follows, but is not known before all of C is.
// CHECK-LABEL: func.func @reduction_between
// CHECK: "gemm.matmul"
// CHECK: stop = "a reduction"
// CHECK: linalg.reduce
// CHECK: linalg.generic
func.func @reduction_between(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>,
    %s: tensor<5xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %m = linalg.reduce { arith.addf } ins(%0 : tensor<5x7xf32>) outs(%s : tensor<5xf32>)
    dimensions = [1]
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %m : tensor<5x7xf32>, tensor<5xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.subf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @position
// CHECK: stop = "linalg.index is not elementwise"
// CHECK: linalg.generic
func.func @position(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %z: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %t = arith.addf %x, %k : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// C plus its transpose reads each value at two places.
// CHECK-LABEL: func.func @two_places
// CHECK: stop = "linalg.generic reads it at other indices"
func.func @two_places(%a: tensor<5x3xf32>, %b: tensor<3x5xf32>, %c: tensor<5x5xf32>)
    -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x5xf32>)
    outs(%c : tensor<5x5xf32>) -> tensor<5x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j, i)>, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<5x5xf32>
  return %1 : tensor<5x5xf32>
}

// A reader in a branch may not run, and stays there.
// CHECK-LABEL: func.func @branch
// CHECK: "gemm.matmul"
// CHECK: stop = "scf.if"
// CHECK: scf.if
// CHECK: linalg.generic
func.func @branch(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>, %p: i1)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = scf.if %p -> tensor<5x7xf32> {
    %2 = linalg.generic {indexing_maps = [#id, #id],
        iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
    ^bb0(%x: f32, %z: f32):
      %t = arith.negf %x : f32
      linalg.yield %t : f32
    } -> tensor<5x7xf32>
    scf.yield %2 : tensor<5x7xf32>
  } else {
    scf.yield %c : tensor<5x7xf32>
  }
  return %1 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @next_block
// CHECK: "gemm.matmul"
// CHECK: cf.br
// CHECK: linalg.generic
func.func @next_block(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  cf.br ^next
^next:
  %1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32, %z: f32):
    %t = arith.negf %x : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// Operations on whole tensors are elementwise as well.
// CHECK-LABEL: func.func @named_and_scalar_operations
// CHECK: %[[R:.*]] = "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: math.absf
// CHECK: arith.addf
// CHECK: stop = "end of the function"
// CHECK-NEXT: return %[[R]]
func.func @named_and_scalar_operations(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>,
    %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.map { math.absf } ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>)
  %2 = arith.addf %1, %c : tensor<5x7xf32>
  %3 = linalg.elementwise <mul>
    ins(%2, %c : tensor<5x7xf32>, tensor<5x7xf32>) outs(%e : tensor<5x7xf32>)
    -> tensor<5x7xf32>
  return %3 : tensor<5x7xf32>
}
