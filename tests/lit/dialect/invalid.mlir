// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that is wrong is an error at the product, and lists what is wrong.
// RUN: not iree-gemm-opt --passes=gemm-lower-kernels --split-input-file %s 2>&1 \
// RUN:   | filecheck %s
// RUN: not iree-gemm-opt --passes=gemm-select-strategy --target=llvmpipe \
// RUN:   --split-input-file %s 2>&1 | filecheck %s

#id = affine_map<(k) -> (k)>
#none = affine_map<(k) -> ()>

// CHECK: invalid.mlir:{{[0-9]+}}:8: error:
// CHECK-SAME: the lhs region takes one element of each lhs operand
// CHECK-SAME: the epilogue yields one element of each result
func.func @types(%a: tensor<2xf32>) -> tensor<f32> {
  %0 = "gemm.matmul"(%a, %a) ({
  ^bb0(%x: f16):
    iree_linalg_ext.yield %x : f16
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: i32):
    iree_linalg_ext.yield %x : i32
  }, {
    %1 = tensor.empty() : tensor<f32>
    iree_linalg_ext.yield %1 : tensor<f32>
  }) {bounds = array<i64: 2>, indexing_maps = [#id, #id, #none], iterators = ["k"],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, strategy = "iree", reason = ""}
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

#id = affine_map<(k) -> (k)>

// CHECK: error: each dynamic bound needs one size operand; unknown iterators ['row']; 3 indexing maps are needed, 2 given
func.func @counts(%a: tensor<?xf32>) -> tensor<f32> {
  %0 = "gemm.matmul"(%a, %a) ({
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
    %1 = tensor.empty() : tensor<f32>
    iree_linalg_ext.yield %1 : tensor<f32>
  }) {bounds = array<i64: -9223372036854775808>, indexing_maps = [#id, #id],
      iterators = ["row"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "iree", reason = ""}
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: error: the attribute bounds is missing; the attribute indexing_maps is missing; the regions lhs, rhs, epilogue, original are needed; the lhs region needs one block that ends in a yield
func.func @form(%a: tensor<2xf32>) {
  "gemm.matmul"(%a, %a) ({
  }) {iterators = ["k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}

// -----

#a = affine_map<(m, n, k, o) -> (m + o, k)>
#b = affine_map<(m, n, k, o) -> (k, n)>
#c = affine_map<(m, n, k, o) -> (m, n)>

// CHECK: error: an offset has no static bound: its index is a size operand
func.func @static_offset(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = "gemm.matmul"(%a, %b) ({
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
    %1 = tensor.empty() : tensor<8x8xf32>
    iree_linalg_ext.yield %1 : tensor<8x8xf32>
  }) {bounds = array<i64: 8, 8, 4, 2>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k", "offset"],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k, o) -> (m + o, k)>
#b = affine_map<(m, n, k, o) -> (k, n)>
#c = affine_map<(m, n, k, o) -> (m, n)>

// CHECK: error: the bound of a lookup is 1; each lookup needs one operand
func.func @lookup(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = "gemm.matmul"(%a, %b) ({
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
    %1 = tensor.empty() : tensor<8x8xf32>
    iree_linalg_ext.yield %1 : tensor<8x8xf32>
  }) {bounds = array<i64: 8, 8, 4, 2>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k", "lookup"],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k, o) -> (m + o, k)>
#b = affine_map<(m, n, k, o) -> (k, n)>
#c = affine_map<(m, n, k, o) -> (m, n)>
#o = affine_map<(m, n, k, o) -> (m)>

// CHECK: error: lookups are elements of i32; a lookup is at a fixed place, not (d0, d1, d2, d3) -> (d0)
func.func @lookup_of_each_row(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>, %o: tensor<8xi64>)
    -> tensor<8x8xf32> {
  %0 = "gemm.matmul"(%a, %b, %o) ({
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  }, {
    %1 = tensor.empty() : tensor<8x8xf32>
    iree_linalg_ext.yield %1 : tensor<8x8xf32>
  }) {bounds = array<i64: 8, 8, 4, 1>, indexing_maps = [#a, #b, #o, #c],
      iterators = ["m", "n", "k", "lookup"],
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}
    : (tensor<16x4xf32>, tensor<4x8xf32>, tensor<8xi64>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
