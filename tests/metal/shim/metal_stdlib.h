// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stands for <metal_stdlib> on a CPU, for tests. Needs clang 16 or newer and C++17;
// msl_translate.py rewrites what is not C++ in a kernel's text.
#pragma once
#include "simdgroup.h"

// What SPIRV-Cross writes in front of its kernels, once per address space.
template <class T, size_t N>
struct spvUnsafeArray {
  T elements[N ? N : 1];
  T& operator[](size_t i) { return elements[i]; }
  const T& operator[](size_t i) const { return elements[i]; }
};
using namespace metal;

// The line identifies a collective operation: threads must meet in the same one.
#define MSL_COLLECTIVE(name, ...) (msl::at_line(__LINE__), metal::name(__VA_ARGS__))
#define threadgroup_barrier(...) MSL_COLLECTIVE(threadgroup_barrier, __VA_ARGS__)
#define simdgroup_barrier(...) MSL_COLLECTIVE(simdgroup_barrier, __VA_ARGS__)
#define simd_shuffle(...) MSL_COLLECTIVE(simd_shuffle, __VA_ARGS__)
#define simd_broadcast(...) MSL_COLLECTIVE(simd_broadcast, __VA_ARGS__)
#define simd_broadcast_first(...) MSL_COLLECTIVE(simd_broadcast_first, __VA_ARGS__)
#define simd_shuffle_xor(...) MSL_COLLECTIVE(simd_shuffle_xor, __VA_ARGS__)
#define simd_shuffle_down(...) MSL_COLLECTIVE(simd_shuffle_down, __VA_ARGS__)
#define simd_shuffle_up(...) MSL_COLLECTIVE(simd_shuffle_up, __VA_ARGS__)
#define simd_sum(...) MSL_COLLECTIVE(simd_sum, __VA_ARGS__)
#define simd_product(...) MSL_COLLECTIVE(simd_product, __VA_ARGS__)
#define simd_max(...) MSL_COLLECTIVE(simd_max, __VA_ARGS__)
#define simd_min(...) MSL_COLLECTIVE(simd_min, __VA_ARGS__)
#define simdgroup_load(...) MSL_COLLECTIVE(simdgroup_load, __VA_ARGS__)
#define simdgroup_store(...) MSL_COLLECTIVE(simdgroup_store, __VA_ARGS__)
#define simdgroup_multiply(...) MSL_COLLECTIVE(simdgroup_multiply, __VA_ARGS__)
#define simdgroup_multiply_accumulate(...) \
  MSL_COLLECTIVE(simdgroup_multiply_accumulate, __VA_ARGS__)
