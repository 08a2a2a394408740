// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-emit-msl %s | filecheck %s

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 32>

// A loop's accumulator stays in its variable; a static bound is compared unsigned.

// CHECK-LABEL: func.func @accumulator
//  CHECK-SAME:   simdgroup_float8x8 [[ACC:acc[0-9]+]] = [[ZERO:m[0-9]+]];
//  CHECK-SAME:   for (uint [[I:i[0-9]+]] = 0u; [[I]] < 8u; [[I]] += 1u) {
//  CHECK-SAME:     simdgroup_multiply_accumulate([[ACC]], {{m[0-9]+}}, {{m[0-9]+}}, [[ACC]]);\0A  }
func.func @accumulator() attributes {translation_info = #none, gemm.msl} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %z = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<8x8xf32, "COp">
  %f = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<8x8xf32, "AOp">
  %g = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<8x8xf32, "BOp">
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %z) -> (!gpu.mma_matrix<8x8xf32, "COp">) {
    %a = gpu.subgroup_mma_elementwise addf %f, %f : (!gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x8xf32, "AOp">) -> !gpu.mma_matrix<8x8xf32, "AOp">
    %next = gpu.subgroup_mma_compute %f, %g, %acc : !gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x8xf32, "BOp"> -> !gpu.mma_matrix<8x8xf32, "COp">
    scf.yield %next : !gpu.mma_matrix<8x8xf32, "COp">
  }
  return
}

// Carried values change all at once; a dynamic bound is compared signed.

// CHECK-LABEL: func.func @swap
//  CHECK-SAME:   float [[X:acc[0-9]+]] = 1.0f;
//  CHECK-SAME:   float [[Y:acc[0-9]+]] = 2.5f;
//  CHECK-SAME:   int([[I:i[0-9]+]]) < int(thread_id.x); [[I]] += 1u) {
//  CHECK-SAME:     const float [[OLD:old[0-9]+]] = [[X]];
//  CHECK-SAME:     [[X]] = [[Y]];
//  CHECK-SAME:     [[Y]] = [[OLD]];
func.func @swap() attributes {translation_info = #none, gemm.msl} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.5 : f32
  %r:2 = scf.for %i = %c0 to %t step %c1 iter_args(%x = %a, %y = %b) -> (f32, f32) {
    scf.yield %y, %x : f32, f32
  }
  return
}

// CHECK-LABEL: func.func @branch
//  CHECK-SAME:   int [[R:v[0-9]+]];
//  CHECK-SAME:   if ({{v[0-9]+}}) {
//  CHECK-SAME:     [[R]] = 1;
//  CHECK-SAME:   else {
//  CHECK-SAME:     [[R]] = -2;
func.func @branch() attributes {translation_info = #none, gemm.msl} {
  %t = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %less = arith.cmpi ult, %t, %c3 : index
  %r = scf.if %less -> (i32) {
    %one = arith.constant 1 : i32
    scf.yield %one : i32
  } else {
    %two = arith.constant -2 : i32
    scf.yield %two : i32
  }
  return
}

// CHECK-LABEL: func.func @positions
//  CHECK-SAME:   uint simd {{\[\[}}simdgroup_index_in_threadgroup]]
//  CHECK-SAME:   uint lane {{\[\[}}thread_index_in_simdgroup]]
//  CHECK-SAME:   simd * lane
//  CHECK-SAME:   + 64u
//  CHECK-SAME:   simd_shuffle_xor({{v[0-9]+}}, ushort(4));
//  CHECK-SAME:   simd_sum(
//  CHECK-SAME:   threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
func.func @positions() attributes {translation_info = #none, gemm.msl} {
  %s = gpu.subgroup_id : index
  %l = gpu.lane_id
  %p = arith.muli %s, %l : index
  %w = gpu.block_dim x
  %q = arith.addi %p, %w : index
  %i = arith.index_cast %q : index to i32
  %c4 = arith.constant 4 : i32
  %c32 = arith.constant 32 : i32
  %x, %valid = gpu.shuffle xor %i, %c4, %c32 : i32
  %sum = gpu.subgroup_reduce add %x : (i32) -> i32
  gpu.barrier
  return
}
