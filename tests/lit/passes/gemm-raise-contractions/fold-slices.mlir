// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// A slice of an operand is read where it lies, as a leading dimension and an offset.

// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0 + 2, d2 + 4)>
// CHECK-DAG: #[[EXPERT_ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 + d3, d2)>
// CHECK-DAG: #[[EXPERT_WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[LOOKUP:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3) -> (1)>
// CHECK-DAG: #[[GATE:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3)>
// CHECK-DAG: #[[PLANE:.*]] = affine_map<(d0, d1, d2) -> (1, d0, d2)>

// CHECK-LABEL: func.func @columns
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[PART]],
func.func @columns(%a: tensor<9x16xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[2, 4] [5, 3] [1, 1]
    : tensor<9x16xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @plane
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2)
// CHECK: indexing_maps = [#[[PLANE]],
func.func @plane(%a: tensor<4x5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[1, 0, 0] [1, 5, 3] [1, 1, 1]
    : tensor<4x5x3xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// The rows and the weight of one expert: where they lie is known at run time. An
// offset is a dimension without a loop, whose only index is an operand.
// CHECK-LABEL: func.func @expert
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %{{.*}}, %arg3, %arg5)
// CHECK: indexing_maps = [#[[EXPERT_ROWS]], #[[EXPERT_WEIGHT]],
// CHECK: iterators = ["m", "n", "k", "offset", "offset"]
func.func @expert(%a: tensor<40x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<?x7xf32>,
    %first: index, %count: index, %e: index) -> tensor<?x7xf32> {
  %s = tensor.extract_slice %a[%first, 0] [%count, 3] [1, 1]
    : tensor<40x3xf32> to tensor<?x3xf32>
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%s, %w : tensor<?x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// An expert that a tensor names is looked up by the kernel: the host need not wait.
// CHECK-LABEL: func.func @lookup
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: indexing_maps = [#[[ROWS]], #[[LOOKUP]], #[[RESULT]], #[[SECOND]], #[[RESULT]]]
// CHECK: iterators = ["m", "n", "k", "lookup"]
// CHECK: operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>
func.func @lookup(%a: tensor<5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %which: tensor<4xi32>) -> tensor<5x7xf32> {
  %one = arith.constant 1 : index
  %x = tensor.extract %which[%one] : tensor<4xi32>
  %e = arith.index_cast %x : i32 to index
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// What is computed from elements, as the clamp of a dynamic slice in JAX, is computed by
// an operation of its own. An index has 64 bits there, as it would on the host.
// CHECK-LABEL: func.func @clamped_lookup
// CHECK: %[[E:.*]] = tensor.extract_slice %arg3[2] [1] [1] : tensor<4xi64> to tensor<i64>
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<i64>)
// CHECK: arith.maxsi {{.*}} : i64
// CHECK: arith.minsi {{.*}} : i64
// CHECK: arith.trunci {{.*}} : i64 to i32
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %[[I]])
// CHECK: iterators = ["m", "n", "k", "lookup"]
func.func @clamped_lookup(%a: tensor<5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %which: tensor<4xi64>) -> tensor<5x7xf32> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  %x = tensor.extract %which[%two] : tensor<4xi64>
  %i = arith.index_cast %x : i64 to index
  %low = arith.maxsi %i, %zero : index
  %e = arith.minsi %low, %seven : index
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// One index is one dimension, whoever uses it.
// CHECK-LABEL: func.func @same_index
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: iterators = ["m", "n", "k", "offset"]
func.func @same_index(%a: tensor<8x5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %e: index) -> tensor<5x7xf32> {
  %x = tensor.extract_slice %a[%e, 0, 0] [1, 5, 3] [1, 1, 1]
    : tensor<8x5x3xf32> to tensor<5x3xf32>
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// So it is for an element at a place that the host knows, and with values of the host.
// CHECK-LABEL: func.func @lookup_at_host_index
// CHECK: %[[H:.*]] = arith.index_cast %arg4 : index to i64
// CHECK: %[[E:.*]] = tensor.extract_slice %arg3[%arg4] [1] [1] : tensor<?xi32> to tensor<i32>
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<i32>)
// CHECK: arith.addi %{{.*}}, %[[H]] : i64
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %[[I]])
func.func @lookup_at_host_index(%a: tensor<5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %which: tensor<?xi32>, %i: index) -> tensor<5x7xf32> {
  %x = tensor.extract %which[%i] : tensor<?xi32>
  %y = arith.index_cast %x : i32 to index
  %e = arith.addi %y, %i : index
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Where neither can be, the product stays with the slice.
// CHECK-LABEL: func.func @lookup_of_lookup
// CHECK: linalg.matmul {gemm.left = "a slice of an operand is at a place that the host may wait for"}
func.func @lookup_of_lookup(%a: tensor<5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %which: tensor<4xi32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0 : index
  %x = tensor.extract %which[%zero] : tensor<4xi32>
  %i = arith.index_cast %x : i32 to index
  %y = tensor.extract %which[%i] : tensor<4xi32>
  %e = arith.index_cast %y : i32 to index
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Devices have no division of 64-bit integers for sure.
// CHECK-LABEL: func.func @wide_division
// CHECK: linalg.matmul {gemm.left =
func.func @wide_division(%a: tensor<5x3xf32>, %b: tensor<8x3x7xf32>, %c: tensor<5x7xf32>,
    %which: tensor<i32>) -> tensor<5x7xf32> {
  %two = arith.constant 2 : index
  %x = tensor.extract %which[] : tensor<i32>
  %i = arith.index_cast %x : i32 to index
  %e = arith.divsi %i, %two : index
  %w = tensor.extract_slice %b[%e, 0, 0] [1, 3, 7] [1, 1, 1]
    : tensor<8x3x7xf32> to tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Columns from a run-time offset on are no aligned vectors, and read in place all the same.
// CHECK-LABEL: func.func @columns_at_run_time
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: iterators = ["m", "n", "k", "offset"]
func.func @columns_at_run_time(%a: tensor<5x16xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>,
    %first: index) -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[0, %first] [5, 3] [1, 1]
    : tensor<5x16xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// One element of an extra: the gate of an expert.
// CHECK-LABEL: func.func @gate
// CHECK: "gemm.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK: arith.mulf
// CHECK: indexing_maps = [{{.*}}, #[[GATE]], #{{[a-z0-9]+}}],
// CHECK: iterators = ["m", "n", "k", "offset"]
func.func @gate(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %gates: tensor<1x8xf32>, %e: index)
    -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.empty() : tensor<5x7xf32>
  %c = linalg.fill ins(%zero : f32) outs(%x : tensor<5x7xf32>) -> tensor<5x7xf32>
  %s = tensor.extract_slice %gates[0, %e] [1, 1] [1, 1]
    : tensor<1x8xf32> to tensor<f32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>,
        affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %s : tensor<5x7xf32>, tensor<f32>) outs(%x : tensor<5x7xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %2 = arith.mulf %in, %scale : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// How long a tensor is whose first rows are skipped would be another size to pass.
// CHECK-LABEL: func.func @rows_of_dynamic_size
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: "gemm.matmul"(%[[S]], %arg1, %arg2)
func.func @rows_of_dynamic_size(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %s = tensor.extract_slice %a[2, 0] [5, 3] [1, 1]
    : tensor<?x3xf32> to tensor<5x3xf32>
  %0 = linalg.matmul ins(%s, %b : tensor<5x3xf32>, tensor<3x7xf32>)
    outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
