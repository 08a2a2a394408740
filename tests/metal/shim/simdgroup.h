// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Barriers, SIMD-group functions and SIMD-group matrices: operations that threads do
// together, each a meeting of fibers.
#pragma once
#include "fibers.h"
#include "functions.h"

namespace metal {

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }

inline void threadgroup_barrier(mem_flags) {
  msl::meet(msl::group->everybody, msl::group->fibers.size(), [] {});
}

inline void simdgroup_barrier(mem_flags) {
  int nothing = 0;
  msl::meet_simd(nothing, [](int**, unsigned) {});
}

// Every lane's result from the values of all lanes.
template <class T, class F>
inline T exchange(T value, F result_of) {
  struct Lane {
    T in, out;
    F result_of;
  } mine{value, value, result_of};
  msl::meet_simd(mine, [](Lane** lanes, unsigned count) {
    T in[msl::simd_width];
    for (unsigned i = 0; i < count; ++i) in[i] = lanes[i]->in;
    for (unsigned i = 0; i < count; ++i) lanes[i]->out = lanes[i]->result_of(in, i, count);
  });
  return mine.out;
}

// In the bodies, v holds the lanes' values, i is the lane and n the number of lanes.
#define MSL_SIMD(name, parameters, ...)                                     \
  template <class T>                                                        \
  inline T name parameters {                                                \
    return exchange(value, [=](const T* v, unsigned i, unsigned n) -> T {   \
      __VA_ARGS__;                                                          \
    });                                                                     \
  }
#define MSL_SIMD_FOLD(name, step) \
  MSL_SIMD(name, (T value), T a = v[0]; for (unsigned k = 1; k < n; ++k) a = step; return a)
MSL_SIMD(simd_shuffle, (T value, ushort lane), return v[lane % n])
MSL_SIMD(simd_broadcast, (T value, ushort lane), return v[lane % n])
MSL_SIMD(simd_broadcast_first, (T value), return v[0])
MSL_SIMD(simd_shuffle_xor, (T value, ushort mask), return v[(i ^ mask) % n])
MSL_SIMD(simd_shuffle_down, (T value, ushort by), return v[i + by < n ? i + by : i])
MSL_SIMD(simd_shuffle_up, (T value, ushort by), return v[i >= by ? i - by : i])
MSL_SIMD_FOLD(simd_sum, a + v[k])
MSL_SIMD_FOLD(simd_product, a* v[k])
MSL_SIMD_FOLD(simd_max, metal::max(a, v[k]))
MSL_SIMD_FOLD(simd_min, metal::min(a, v[k]))
#undef MSL_SIMD_FOLD
#undef MSL_SIMD

// Each lane holds two neighbors of a row, at the place where Apple GPUs have them (not
// documented by Apple; kernels that use thread_elements() on one matrix only must not care).
inline uint matrix_row(uint lane) { return (lane / 4 & 4) + lane / 2 % 4; }
inline uint matrix_column(uint lane) { return (lane / 4 & 2) * 2 + lane % 2 * 2; }

template <class T, int Columns, int Rows>
struct simdgroup_matrix {
  static_assert(Columns == 8 && Rows == 8);
  vec<T, 2> elements;

  // A matrix that nothing was loaded into holds NaN.
  simdgroup_matrix() : elements{T(__builtin_nanf("")), T(__builtin_nanf(""))} {}
  explicit simdgroup_matrix(T diagonal) : elements{T(0), T(0)} {
    uint lane = msl::group->now % msl::simd_width;
    uint row = matrix_row(lane), column = matrix_column(lane);
    if (row / 2 * 2 == column) elements[row % 2] = diagonal;
  }
  vec<T, 2>& thread_elements() { return elements; }
};
using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;

template <class T, int Columns, int Rows>
inline simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Columns, Rows> out;
  out.elements = vec<T, 2>{value, value};
  return out;
}

namespace detail {

// Where a matrix is in memory; all lanes must say the same.
struct Place {
  const void* base;
  ulong stride, x, y;
  bool transposed;

  bool operator==(const Place& o) const {
    return base == o.base && stride == o.stride && x == o.x && y == o.y &&
           transposed == o.transposed;
  }
  ulong offset(uint element) const {
    uint lane = msl::group->now % msl::simd_width;
    ulong row = matrix_row(lane), column = matrix_column(lane) + element;
    return transposed ? (y + column) * stride + x + row : (y + row) * stride + x + column;
  }
};

inline void require_whole(unsigned lanes) {
  if (lanes != msl::simd_width) msl::fail("a SIMD-group matrix in an incomplete SIMD-group");
}

inline void agree(Place& mine) {
  msl::meet_simd(mine, [](Place** all, unsigned count) {
    require_whole(count);
    for (unsigned i = 1; i < count; ++i) {
      if (!(*all[i] == *all[0])) msl::fail("lanes disagree on where a SIMD-group matrix is");
    }
  });
}

}  // namespace detail

template <class T, int C, int R>
inline void simdgroup_load(simdgroup_matrix<T, C, R>& to, const T* from, ulong stride = C,
                           ulong2 origin = 0, bool transpose = false) {
  detail::Place place{from, stride, origin.x, origin.y, transpose};
  detail::agree(place);
  for (uint e = 0; e < 2; ++e) to.elements[e] = from[place.offset(e)];
}

template <class T, int C, int R>
inline void simdgroup_store(simdgroup_matrix<T, C, R> from, T* to, ulong stride = C,
                            ulong2 origin = 0, bool transpose = false) {
  detail::Place place{to, stride, origin.x, origin.y, transpose};
  detail::agree(place);
  for (uint e = 0; e < 2; ++e) to[place.offset(e)] = from.elements[e];
}

// d = a * b + c, each sum in increasing k from c on, in float.
template <class D, class A, class B, class C>
inline void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
                                          simdgroup_matrix<B, 8, 8> b,
                                          simdgroup_matrix<C, 8, 8> c) {
  struct Lane {
    vec<A, 2> a;
    vec<B, 2> b;
    vec<C, 2> c;
    vec<D, 2>* d;
  } mine{a.elements, b.elements, c.elements, &d.elements};
  msl::meet_simd(mine, [](Lane** lanes, unsigned count) {
    detail::require_whole(count);
    float x[8][8], y[8][8], z[8][8];
    for (uint i = 0; i < msl::simd_width; ++i) {
      for (uint e = 0; e < 2; ++e) {
        uint row = matrix_row(i), column = matrix_column(i) + e;
        x[row][column] = float(lanes[i]->a[e]);
        y[row][column] = float(lanes[i]->b[e]);
        z[row][column] = float(lanes[i]->c[e]);
      }
    }
    for (int i = 0; i < 8; ++i) {
      for (int k = 0; k < 8; ++k) {
        for (int j = 0; j < 8; ++j) z[i][j] = __builtin_fmaf(x[i][k], y[k][j], z[i][j]);
      }
    }
    for (uint i = 0; i < msl::simd_width; ++i) {
      for (uint e = 0; e < 2; ++e) {
        (*lanes[i]->d)[e] = D(z[matrix_row(i)][matrix_column(i) + e]);
      }
    }
  });
}

template <class T>
inline void simdgroup_multiply(simdgroup_matrix<T, 8, 8>& d, simdgroup_matrix<T, 8, 8> a,
                               simdgroup_matrix<T, 8, 8> b) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<T, 8, 8>(T(0)));
}

}  // namespace metal
