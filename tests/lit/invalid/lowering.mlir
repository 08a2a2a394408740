// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose recorded choice is wrong.
// RUN: not iree-gemm-opt --target=ampere --passes=gemm-lower-kernels \
// RUN:   --split-input-file %s 2>&1 | filecheck %s
// RUN: not iree-gemm-opt --passes=gemm-lower-kernels --split-input-file %s 2>&1 \
// RUN:   | filecheck %s --check-prefix=NODEVICE

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: lowering.mlir:{{[0-9]+}}:8: error: no strategy: run gemm-select-strategy first
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: error: unknown strategy 'fastest'
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "fastest", config = {}}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// NODEVICE: error: tile needs a device: the module names no device
// CHECK: error: configuration of tile: no entry is called speed, there are chain
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "tile", config = {speed = 3}}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: error: configuration of tile: the thread tile does not divide the tile
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "tile", config = {tile_m = 63}}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: error: configuration of few-rows: lane_terms is 1: the product has 4
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "few-rows", config = {rows = 8, columns = 4, slices = 32, lane_columns = 4, lane_terms = 1, by_term = 1}}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: error: configuration of cooperative: no matrix units for f32 by f32
func.func @product(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
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
  }) {bounds = array<i64: 8, 8, 4>, indexing_maps = [#a, #b, #c],
      iterators = ["m", "n", "k"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
      strategy = "cooperative", config = {}}
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
