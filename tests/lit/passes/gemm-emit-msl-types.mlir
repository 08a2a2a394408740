// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-emit-msl %s | filecheck %s

#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
!bf16s = memref<4xvector<4xbf16>, #gpu.address_space<workgroup>>

// bf16 is its bits: MSL 3.0 has no bfloat.

// CHECK-LABEL: func.func @bf16
//  CHECK-SAME:   static inline ushort gemm_bf16(float value) {
//  CHECK-SAME:   threadgroup ushort4 [[TILE:tile[0-9]+]][4];
//  CHECK-SAME:   const ushort4 [[X:v[0-9]+]] = [[TILE]][thread_id.x];
//  CHECK-SAME:   const float4 [[Y:v[0-9]+]] = as_type<float4>(uint4([[X]]) << 16);
//  CHECK-SAME:   = ushort4(gemm_bf16([[Y]][0]), gemm_bf16([[Y]][1]),
func.func @bf16() attributes {translation_info = #none, gemm.msl} {
  %t = gpu.thread_id x
  %tile = memref.alloc() : !bf16s
  %x = memref.load %tile[%t] : !bf16s
  %y = arith.extf %x : vector<4xbf16> to vector<4xf32>
  %z = arith.truncf %y : vector<4xf32> to vector<4xbf16>
  memref.store %z, %tile[%t] : !bf16s
  return
}

// Integers are signed locals, read as unsigned where the operation is.

// CHECK-LABEL: func.func @integers
//  CHECK-SAME:   const int [[A:v[0-9]+]] = int(thread_id.x);
//  CHECK-SAME:   = int(uint([[A]]) / uint(7));
//  CHECK-SAME:   = [[A]] / 7;
//  CHECK-SAME:   = char([[A]]);
//  CHECK-SAME:   const bool {{v[0-9]+}} = uint([[A]]) < uint(7);
//  CHECK-SAME:   const bool {{v[0-9]+}} = [[A]] < 7;
func.func @integers() attributes {translation_info = #none, gemm.msl} {
  %t = gpu.thread_id x
  %a = arith.index_cast %t : index to i32
  %c7 = arith.constant 7 : i32
  %u = arith.divui %a, %c7 : i32
  %s = arith.divsi %a, %c7 : i32
  %b = arith.trunci %a : i32 to i8
  %ult = arith.cmpi ult, %a, %c7 : i32
  %slt = arith.cmpi slt, %a, %c7 : i32
  return
}

// CHECK-LABEL: func.func @constants
//  CHECK-SAME:   float4(1.0f, -2.5f, INFINITY, 1e-07f)
//  CHECK-SAME:   half2(half(3.0f))
//  CHECK-SAME:   char4(char(1), char(-2), char(3), char(-4))
func.func @constants() attributes {translation_info = #none, gemm.msl} {
  %f = arith.constant dense<[1.0, -2.5, 0x7F800000, 1.0e-7]> : vector<4xf32>
  %h = arith.constant dense<3.0> : vector<2xf16>
  %i = arith.constant dense<[1, -2, 3, -4]> : vector<4xi8>
  %g = arith.addf %f, %f : vector<4xf32>
  %k = arith.addf %h, %h : vector<2xf16>
  %j = arith.addi %i, %i : vector<4xi8>
  return
}

// The precise functions, in f32; erf is our own.

// CHECK-LABEL: func.func @functions
//  CHECK-SAME:   static inline float gemm_erf(float value) {
//  CHECK-SAME:   = precise::tanh(0.5f);
//  CHECK-SAME:   = half(precise::exp(float(half(0.5f))));
//  CHECK-SAME:   = float2(gemm_erf([[V:v[0-9]+]][0]), gemm_erf([[V]][1]));
func.func @functions() attributes {translation_info = #none, gemm.msl} {
  %x = arith.constant 0.5 : f32
  %h = arith.constant 0.5 : f16
  %v = arith.constant dense<0.5> : vector<2xf32>
  %a = math.tanh %x : f32
  %b = math.exp %h : f16
  %w = arith.addf %v, %v : vector<2xf32>
  %c = math.erf %w : vector<2xf32>
  return
}
