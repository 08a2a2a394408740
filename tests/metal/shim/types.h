// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// MSL's scalar and vector types on clang's, and element-wise application.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
#undef MSL_VECTORS
// clang compares 32-bit vectors into vectors of 0 and -1.
using bool2 = int2;
using bool3 = int3;
using bool4 = int4;

namespace msl {

template <class T>
struct Shape {
  using Element = T;
  static constexpr int size = 1;
};
template <class T, int N>
struct Shape<T __attribute__((ext_vector_type(N)))> {
  using Element = T;
  static constexpr int size = N;
};
template <class T>
constexpr bool is_vector = (Shape<T>::size > 1);

template <class V>
inline auto element(V value, int i) {
  if constexpr (is_vector<V>) return value[i];
  else return value;
}

// What `float4(a, b.xy, c)` means: the parts one after another, or one part for all.
template <class V, class... Parts>
inline V construct(Parts... parts) {
  using T = typename Shape<V>::Element;
  if constexpr (sizeof...(Parts) == 1 && !(is_vector<Parts> || ...)) {
    return V(T(parts)...);
  } else {
    V out;
    int at = 0;
    auto append = [&](auto part) {
      for (int i = 0; i < Shape<decltype(part)>::size; ++i) out[at++] = T(element(part, i));
    };
    (append(parts), ...);
    return out;
  }
}

// A position as the kernel declares it: a vector, or its first component.
template <class V, class W>
inline V narrow(W value) {
  if constexpr (is_vector<V>) {
    V out;
    for (int i = 0; i < Shape<V>::size; ++i) out[i] = value[i];
    return out;
  } else {
    return V(element(value, 0));
  }
}

// Applies a function to each element; 16-bit floats are computed in float.
template <class F, class V, class... Rest>
inline V map(F function, V first, Rest... rest) {
  auto one = [&](auto a, auto... b) {
    using T = decltype(a);
    if constexpr (std::is_integral_v<T>) return T(function(a, T(b)...));
    else return T(function(float(a), float(b)...));
  };
  if constexpr (is_vector<V>) {
    V out;
    for (int i = 0; i < Shape<V>::size; ++i) out[i] = one(first[i], element(rest, i)...);
    return out;
  } else {
    return one(first, rest...);
  }
}

}  // namespace msl
