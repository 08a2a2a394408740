# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""MSL functions that kernels bring along, each only where it is used.

The polynomials are minimax fits in float64 with errors below 4e-9. Nothing here relies
on the order of floating-point operations, which fast math may change.
"""

from collections.abc import Iterable

from iree_gemm.passes.msl.types import float_literal

BF16 = """\
// The nearest bf16, ties to even; NaN stays NaN.
static inline ushort gemm_bf16(float value) {
  const uint bits = as_type<uint>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return ushort(0x7fc0);
  return ushort((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
"""


def _horner(coefficients: tuple[float, ...], variable: str) -> str:
    """Nested fma calls, the constant term outermost."""
    *rest, last = coefficients
    text = float_literal(last)
    for value in reversed(rest):
        text = f"fma({text}, {variable}, {float_literal(value)})"
    return text


ERF_SMALL = (
    0.128379166,
    -0.376126272,
    0.112836004,
    -0.0268544531,
    0.00518954963,
    -0.000802095643,
    7.88947588e-05,
)
ERF_LARGE = (
    0.000177460714,
    1.12774971,
    0.637059479,
    0.10403762,
    -0.0222772223,
    0.00305564416,
    -0.000197185749,
)
ERF = f"""\
// x + x * p(x * x) below 1; 1 - exp(-q(x)) from 1 to 4, where it is 1 in float.
static inline float gemm_erf(float value) {{
  const float x = min(fabs(value), 4.0f), s = x * x;
  const float small = fma(value, {_horner(ERF_SMALL, "s")}, value);
  const float large = 1.0f - precise::exp(-({_horner(ERF_LARGE, "x")}));
  return x < 1.0f ? small : copysign(large, value);
}}
"""
ERFC = f"""\
// The same two forms; the error is small beside 1, not beside the tail.
static inline float gemm_erfc(float value) {{
  const float x = min(fabs(value), 4.0f), s = x * x;
  const float small = 1.0f - fma(value, {_horner(ERF_SMALL, "s")}, value);
  const float tail = precise::exp(-({_horner(ERF_LARGE, "x")}));
  return x < 1.0f ? small : value > 0.0f ? tail : 2.0f - tail;
}}
"""
CBRT = """\
static inline float gemm_cbrt(float x) {
  return copysign(precise::pow(fabs(x), 1.0f / 3.0f), x);
}
"""
LOG1P_TERMS = (
    1.0,
    -0.500000001,
    0.333332947,
    -0.249999572,
    0.20002964,
    -0.166709074,
    0.142069188,
    -0.123519213,
    0.119230428,
    -0.119910916,
    0.0704520241,
)
EXPM1_TERMS = (
    1.0,
    0.500000043,
    0.166666684,
    0.0416653039,
    0.00833305227,
    0.0013997783,
    0.000199967925,
)
LOG1P = f"""\
static inline float gemm_log1p(float x) {{
  const float small = x * ({_horner(LOG1P_TERMS, "x")});
  return x > -0.3f && x < 0.42f ? small : precise::log(1.0f + x);
}}
"""
EXPM1 = f"""\
static inline float gemm_expm1(float x) {{
  const float small = x * ({_horner(EXPM1_TERMS, "x")});
  return fabs(x) < 0.5f ? small : precise::exp(x) - 1.0f;
}}
"""
POWI = """\
// By squaring, so that x to the power 3 is x * x * x.
static inline float gemm_powi(float x, int n) {
  float result = 1.0f;
  for (uint rest = abs(n); rest; rest >>= 1, x *= x)
    if (rest & 1u) result *= x;
  return n < 0 ? 1.0f / result : result;
}
"""
HELPERS = {
    "gemm_bf16": BF16,
    "gemm_cbrt": CBRT,
    "gemm_erf": ERF,
    "gemm_erfc": ERFC,
    "gemm_expm1": EXPM1,
    "gemm_log1p": LOG1P,
    "gemm_powi": POWI,
}


def helper_text(names: Iterable[str]) -> str:
    """The definitions of the named functions, in a fixed order."""
    return "\n".join(HELPERS[name] for name in sorted(names))
