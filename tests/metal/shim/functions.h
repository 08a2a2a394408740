// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// MSL's math, relational and reinterpreting functions.
#pragma once
#include <cmath>

#include "types.h"

namespace metal {

#define MSL_FUNCTION(name, parameters, value)                                 \
  template <class V, class... Rest>                                           \
  inline V name(V first, Rest... rest) {                                      \
    return msl::map([] parameters { return value; }, first, rest...);         \
  }
#define MSL_STANDARD(name) MSL_FUNCTION(name, (auto a), std::name(a))
MSL_STANDARD(acos)
MSL_STANDARD(acosh)
MSL_STANDARD(asin)
MSL_STANDARD(asinh)
MSL_STANDARD(atan)
MSL_STANDARD(atanh)
MSL_STANDARD(ceil)
MSL_STANDARD(cos)
MSL_STANDARD(cosh)
MSL_STANDARD(exp)
MSL_STANDARD(exp2)
MSL_STANDARD(floor)
MSL_STANDARD(log)
MSL_STANDARD(log10)
MSL_STANDARD(log2)
MSL_STANDARD(rint)
MSL_STANDARD(round)
MSL_STANDARD(sin)
MSL_STANDARD(sinh)
MSL_STANDARD(sqrt)
MSL_STANDARD(tan)
MSL_STANDARD(tanh)
MSL_STANDARD(trunc)
MSL_FUNCTION(abs, (auto a), a < 0 ? -a : a)
MSL_FUNCTION(atan2, (auto a, auto b), std::atan2(a, b))
MSL_FUNCTION(clamp, (auto a, auto low, auto high), a < low ? low : a > high ? high : a)
MSL_FUNCTION(copysign, (auto a, auto b), std::copysign(a, b))
MSL_FUNCTION(fabs, (auto a), std::fabs(a))
MSL_FUNCTION(fma, (auto a, auto b, auto c), std::fma(a, b, c))
MSL_FUNCTION(fmax, (auto a, auto b), a > b || b != b ? a : b)
MSL_FUNCTION(fmin, (auto a, auto b), a < b || b != b ? a : b)
MSL_FUNCTION(fmod, (auto a, auto b), std::fmod(a, b))
MSL_FUNCTION(max, (auto a, auto b), a > b || b != b ? a : b)
MSL_FUNCTION(min, (auto a, auto b), a < b || b != b ? a : b)
MSL_FUNCTION(mix, (auto a, auto b, auto t), a + (b - a) * t)
MSL_FUNCTION(pow, (auto a, auto b), std::pow(a, b))
MSL_FUNCTION(rsqrt, (auto a), 1 / std::sqrt(a))
#undef MSL_STANDARD
#undef MSL_FUNCTION
namespace precise {
using namespace metal;
}
namespace fast {
using namespace metal;
}

template <class V>
inline auto isunordered(V a, V b) {
  if constexpr (msl::is_vector<V>) return (a != a) | (b != b);
  else return a != a || b != b;
}

template <class V>
inline auto isnan(V a) {
  return isunordered(a, a);
}

template <class V>
inline bool any(V a) {
  for (int i = 0; i < msl::Shape<V>::size; ++i) {
    if (msl::element(a, i)) return true;
  }
  return false;
}

template <class V>
inline bool all(V a) {
  for (int i = 0; i < msl::Shape<V>::size; ++i) {
    if (!msl::element(a, i)) return false;
  }
  return true;
}

template <class V, class C>
inline V select(V no, V yes, C chosen) {
  if constexpr (!msl::is_vector<V>) {
    return chosen ? yes : no;
  } else {
    for (int i = 0; i < msl::Shape<V>::size; ++i) no[i] = chosen[i] ? yes[i] : no[i];
    return no;
  }
}

template <class V>
inline auto dot(V a, V b) {
  auto sum = a[0] * b[0];
  for (int i = 1; i < msl::Shape<V>::size; ++i) sum += a[i] * b[i];
  return sum;
}

template <class To, class From>
inline To as_type(From value) {
  return __builtin_bit_cast(To, value);
}

}  // namespace metal
