// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Declarations to check a kernel's types and address spaces with `clang -fsyntax-only`.
// The shim that runs kernels has no address spaces; Metal's compiler insists on them.
#pragma once

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using half = _Float16;
template <class T, int N>
using vec = T __attribute__((ext_vector_type(N)));
#define MSL_VECTORS(scalar)        \
  using scalar##2 = vec<scalar, 2>; \
  using scalar##3 = vec<scalar, 3>; \
  using scalar##4 = vec<scalar, 4>;
MSL_VECTORS(char)
MSL_VECTORS(uchar)
MSL_VECTORS(short)
MSL_VECTORS(ushort)
MSL_VECTORS(int)
MSL_VECTORS(uint)
MSL_VECTORS(long)
MSL_VECTORS(ulong)
MSL_VECTORS(half)
MSL_VECTORS(float)
using bool2 = int2;
using bool3 = int3;
using bool4 = int4;
#undef MSL_VECTORS
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()

#define device __attribute__((address_space(1)))
#define constant __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))
#define thread
#define kernel

namespace msl {
template <class V, class... Parts>
V construct(Parts...);
}  // namespace msl

namespace metal {
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };
mem_flags operator|(mem_flags, mem_flags);
void threadgroup_barrier(mem_flags);
void simdgroup_barrier(mem_flags);

template <class T, int Columns, int Rows>
struct simdgroup_matrix {
  simdgroup_matrix();
  explicit simdgroup_matrix(T);
  vec<T, 2>& thread_elements();
};
using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;
template <class T, int Columns, int Rows>
simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T);
#define MSL_MATRIX_MEMORY(space)                                                        \
  template <class T>                                                                    \
  void simdgroup_load(simdgroup_matrix<T, 8, 8>&, const space T*, ulong = 8, ulong2 = 0, \
                      bool = false);                                                    \
  template <class T>                                                                    \
  void simdgroup_store(simdgroup_matrix<T, 8, 8>, space T*, ulong = 8, ulong2 = 0,      \
                       bool = false);
MSL_MATRIX_MEMORY(device)
MSL_MATRIX_MEMORY(threadgroup)
#undef MSL_MATRIX_MEMORY
template <class D, class A, class B, class C>
void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>&, simdgroup_matrix<A, 8, 8>,
                                   simdgroup_matrix<B, 8, 8>, simdgroup_matrix<C, 8, 8>);

template <class To, class From>
To as_type(From);
template <class V, class C>
V select(V, V, C);
#define MSL_SAME_TYPE(name)          \
  template <class V, class... Rest>  \
  V name(V, Rest...);
#define MSL_FLOAT(name) \
  float name(float);    \
  float2 name(float2);  \
  float3 name(float3);  \
  float4 name(float4);
MSL_SAME_TYPE(abs)
MSL_SAME_TYPE(ceil)
MSL_SAME_TYPE(clamp)
MSL_SAME_TYPE(copysign)
MSL_SAME_TYPE(fabs)
MSL_SAME_TYPE(floor)
MSL_SAME_TYPE(fma)
MSL_SAME_TYPE(fmax)
MSL_SAME_TYPE(fmin)
MSL_SAME_TYPE(max)
MSL_SAME_TYPE(min)
MSL_SAME_TYPE(rint)
MSL_SAME_TYPE(simd_max)
MSL_SAME_TYPE(simd_min)
MSL_SAME_TYPE(simd_shuffle)
MSL_SAME_TYPE(simd_shuffle_down)
MSL_SAME_TYPE(simd_shuffle_up)
MSL_SAME_TYPE(simd_shuffle_xor)
MSL_SAME_TYPE(simd_sum)
MSL_SAME_TYPE(trunc)
namespace precise {
MSL_FLOAT(exp)
MSL_FLOAT(exp2)
MSL_FLOAT(log)
MSL_FLOAT(log2)
MSL_FLOAT(rsqrt)
MSL_FLOAT(sin)
MSL_FLOAT(sqrt)
MSL_FLOAT(tanh)
MSL_SAME_TYPE(pow)
}  // namespace precise
#undef MSL_SAME_TYPE
#undef MSL_FLOAT
}  // namespace metal
using namespace metal;
