// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not iree-gemm-opt --passes=gemm-emit-msl --split-input-file %s 2>&1 | filecheck %s

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @unknown_operation(%x: f32) attributes {translation_info = #none, gemm.msl} {
  // CHECK: error: math.isfinite has no counterpart in the Metal kernel language
  %y = math.isfinite %x : f32
  return
}

// -----

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @too_much_memory() attributes {translation_info = #none, gemm.msl} {
  %a = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  // CHECK: error: memref.alloc: the kernel's workgroup memory takes 36864 bytes with this array, more than the 32768 of a Metal threadgroup
  %b = memref.alloc() : memref<1280xvector<3xf32>, #gpu.address_space<workgroup>>
  return
}

// -----

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @fragment_shape() attributes {translation_info = #none, gemm.msl} {
  %zero = arith.constant 0.0 : f32
  // CHECK: error: gpu.subgroup_mma_constant_matrix: simdgroup matrices are 8x8, not 16x16
  %z = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
  return
}

// -----

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @double() attributes {translation_info = #none, gemm.msl} {
  %x = arith.constant 0.0 : f32
  // CHECK: error: arith.extf: type f64 has no counterpart in MSL 3.0
  %y = arith.extf %x : f32 to f64
  return
}

// -----

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @wide_vector() attributes {translation_info = #none, gemm.msl} {
  // CHECK: error: arith.constant: vector<8xf16> is not a vector of 1 to 4 elements
  %x = arith.constant dense<0.0> : vector<8xf16>
  return
}

// -----

#layout = #hal.pipeline.layout<constants = 0, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>]>
#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
func.func @read_only() attributes {translation_info = #none, gemm.msl} {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) : memref<64xf32, #hal.descriptor_type<storage_buffer>>
  // CHECK: error: memref.store: store to a binding that the layout says is read-only
  memref.store %x, %a[%c0] : memref<64xf32, #hal.descriptor_type<storage_buffer>>
  return
}

// -----

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [2048, 1, 1]>
// CHECK: error: 2048 threads a workgroup; Metal takes 1 to 1024
func.func @too_many_threads() attributes {translation_info = #none, gemm.msl} {
  return
}

// -----

// CHECK: error: a kernel needs translation_info with a workgroup size
func.func @no_size() attributes {gemm.msl} {
  return
}
