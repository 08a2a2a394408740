// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-emit-msl %s | filecheck %s

#layout = #hal.pipeline.layout<constants = 2, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [32, 2, 1] subgroup_size = 32>

// Every binding is declared, used or not; constants are words up to the last one read;
// threadgroup memory is in the body. Vector elements count as several of a fragment's.

// CHECK-LABEL: func.func @conventions
//  CHECK-SAME:   gemm.msl = "#include <metal_stdlib>
//  CHECK-SAME:   struct Buffers {
//  CHECK-SAME:     device const half4* b0 {{\[\[}}id(0)]];
//  CHECK-SAME:     device const uchar* b1 {{\[\[}}id(1)]];
//  CHECK-SAME:     device float* b2 {{\[\[}}id(2)]];
//  CHECK-SAME:   struct Constants {
//  CHECK-SAME:     int c0;
//  CHECK-SAME:     int c1;
//  CHECK-SAME:   {{\[\[}}max_total_threads_per_threadgroup(64)]]
//  CHECK-SAME:   kernel void conventions(
//  CHECK-SAME:     constant Buffers& buffers {{\[\[}}buffer(0)]],
//  CHECK-SAME:     constant Constants& constants {{\[\[}}buffer(3)]],
//  CHECK-SAME:     uint3 group {{\[\[}}threadgroup_position_in_grid]]) {
//  CHECK-SAME:   threadgroup half4 [[TILE:tile[0-9]+]][24];
//  CHECK-SAME:   const int [[WORD:v[0-9]+]] = constants.c1;
//  CHECK-SAME:   [[TILE]][group.y * 3u + group.z] =
//  CHECK-SAME:   threadgroup_barrier(mem_flags::mem_threadgroup);
//  CHECK-SAME:   simdgroup_load([[A:m[0-9]+]], (threadgroup half*)[[TILE]] + (group.y * 3u) * 4u, 3u * 4u);
//  CHECK-SAME:   simdgroup_load([[B:m[0-9]+]], (threadgroup half*)[[TILE]] + 0u * 4u, 3u * 4u, ulong2(0, 0), true);
//  CHECK-SAME:   make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
//  CHECK-SAME:   simdgroup_multiply_accumulate([[C:m[0-9]+]], [[A]], [[B]], [[C]]);
//  CHECK-SAME:   const uint [[AT:v[0-9]+]] = uint([[WORD]]);
//  CHECK-SAME:   simdgroup_store([[C]], {{buffer[0-9]+}} + [[AT]], 8u);
//       CHECK:   gpu.subgroup_mma_compute
hal.executable.source private @conventions {
  hal.executable.export public @conventions ordinal(0) layout(#layout)
  builtin.module {
    func.func @conventions() attributes {translation_info = #none, gemm.msl} {
      %c0 = arith.constant 0 : index
      %word = hal.interface.constant.load layout(#layout) ordinal(1) : i32
      %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : memref<16xvector<4xf16>, #hal.descriptor_type<storage_buffer>>
      %c = hal.interface.binding.subspan layout(#layout) binding(2) alignment(64) offset(%c0) : memref<64xf32, #hal.descriptor_type<storage_buffer>>
      %tile = memref.alloc() : memref<8x3xvector<4xf16>, #gpu.address_space<workgroup>>
      %y = hal.interface.workgroup.id[1] : index
      %z = hal.interface.workgroup.id[2] : index
      %v = memref.load %a[%y] : memref<16xvector<4xf16>, #hal.descriptor_type<storage_buffer>>
      memref.store %v, %tile[%y, %z] : memref<8x3xvector<4xf16>, #gpu.address_space<workgroup>>
      gpu.barrier memfence [#gpu.address_space<workgroup>]
      %fa = gpu.subgroup_mma_load_matrix %tile[%y, %c0] leadDimension 3 : memref<8x3xvector<4xf16>, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<8x8xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %tile[%c0, %c0] leadDimension 3 transpose : memref<8x3xvector<4xf16>, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<8x8xf16, "BOp">
      %zero = arith.constant 0.0 : f32
      %fc = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<8x8xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc : !gpu.mma_matrix<8x8xf16, "AOp">, !gpu.mma_matrix<8x8xf16, "BOp"> -> !gpu.mma_matrix<8x8xf32, "COp">
      %at = arith.index_cast %word : i32 to index
      gpu.subgroup_mma_store_matrix %fd, %c[%at] leadDimension 8 : !gpu.mma_matrix<8x8xf32, "COp">, memref<64xf32, #hal.descriptor_type<storage_buffer>>
      return
    }
  }
}

// A row length of 0 stands for the memref's own, which may be dynamic.

// CHECK-LABEL: func.func @dynamic_rows
//  CHECK-SAME:   const int [[WORD:v[0-9]+]] = constants.c0;
//  CHECK-SAME:   const uint [[N:v[0-9]+]] = uint([[WORD]]);
//  CHECK-SAME:   simdgroup_load({{m[0-9]+}}, {{buffer[0-9]+}} + group.x * [[N]], [[N]]);
hal.executable.source private @dynamic_rows {
  hal.executable.export public @dynamic_rows ordinal(0) layout(#layout)
  builtin.module {
    func.func @dynamic_rows() attributes {translation_info = #none, gemm.msl} {
      %c0 = arith.constant 0 : index
      %word = hal.interface.constant.load layout(#layout) ordinal(0) : i32
      %n = arith.index_castui %word : i32 to index
      %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : memref<?x?xf32, #hal.descriptor_type<storage_buffer>>{%n, %n}
      %x = hal.interface.workgroup.id[0] : index
      %fa = gpu.subgroup_mma_load_matrix %a[%x, %c0] leadDimension 0 : memref<?x?xf32, #hal.descriptor_type<storage_buffer>> -> !gpu.mma_matrix<8x8xf32, "AOp">
      return
    }
  }
}

// A kernel without the attribute goes IREE's own way.

// CHECK-LABEL: func.func @portable
//   CHECK-NOT:   gemm.msl
hal.executable.source private @portable {
  hal.executable.export public @portable ordinal(0) layout(#layout)
  builtin.module {
    func.func @portable() attributes {translation_info = #none} {
      gpu.barrier
      return
    }
  }
}
