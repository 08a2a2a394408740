// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that are left to IREE, and why.
// RUN: iree-gemm-opt --split-input-file %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s

#small = #iree_gpu.target<arch = "small", features = "spirv:v1.3", wgp = <
  compute = fp32|int32, storage = b32, subgroup = none, subgroup_size_choices = [32],
  max_workgroup_sizes = [16, 16, 16], max_thread_count_per_workgroup = 16,
  max_workgroup_memory_bytes = 1024, max_workgroup_counts = [65535, 65535, 65535]>>
#gpu = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb",
  {iree_codegen.target_info = #small}>
util.global private @device = #hal.device.target<"vulkan", [#gpu]> : !hal.device

// Nothing fits a device of 16 invocations and 1 KiB: every strategy says why.

// CHECK-LABEL: func.func @too_small
//       CHECK:   reason = "
//  CHECK-SAME:     few-rows: m is 64: not 1 to 8 rows
//  CHECK-SAME:     tile: no tile fits 16 invocations and 1024 bytes of workgroup memory
//  CHECK-SAME:   strategy = "iree"
func.func @too_small(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @wide_type
//       CHECK:   gemm.left = "{{.*}}f64{{.*}}"
func.func @wide_type(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>, %c: tensor<64x64xf64>)
    -> tensor<64x64xf64> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf64>, tensor<64x64xf64>)
    outs(%c : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %0 : tensor<64x64xf64>
}

// An operand without one stride a dimension of the product.

// CHECK-LABEL: func.func @diagonal
//       CHECK:   reason = "an operand is read along a diagonal"
//  CHECK-SAME:   strategy = "iree"
func.func @diagonal(%a: tensor<5x7xf32>, %b: tensor<7x7x9xf32>, %c: tensor<5x9xf32>)
    -> tensor<5x9xf32> {
  %0 = linalg.generic {
    indexing_maps = [
      affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, k, n)>,
      affine_map<(m, n, k) -> (m, n)>
    ],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<5x7xf32>, tensor<7x7x9xf32>) outs(%c : tensor<5x9xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %added = arith.addf %sum, %product : f32
    linalg.yield %added : f32
  } -> tensor<5x9xf32>
  return %0 : tensor<5x9xf32>
}

// -----

#cpu = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64">
util.global private @device = #hal.device.target<"local", [#cpu]> : !hal.device

// CHECK-LABEL: func.func @cpu
//       CHECK:   reason = "target backend llvm-cpu has no kernels of ours"
func.func @cpu(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#gpu = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb">
util.global private @device = #hal.device.target<"vulkan", [#gpu]> : !hal.device

// CHECK-LABEL: func.func @undescribed
//       CHECK:   reason = "target backend vulkan-spirv does not describe its GPU"
func.func @undescribed(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#gpu = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb">
#cpu = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64">
util.global private @one = #hal.device.target<"vulkan", [#gpu]> : !hal.device
util.global private @other = #hal.device.target<"local", [#cpu]> : !hal.device

// CHECK-LABEL: func.func @two_devices
//       CHECK:   reason = "the module is compiled for several different targets"
func.func @two_devices(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
