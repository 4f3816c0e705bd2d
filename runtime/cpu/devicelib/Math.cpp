// CUDA's math library by the host's: results may differ from a GPU's in the last bits, and the fast
// approximations are as exact as the others. Rounding.cpp has the variants with a rounding mode.
#include <cmath>
#include <cstdint>
#include <cstring>

#define SMCPU_MATH extern "C" __attribute__((used))

#define UNARY(NAME)                                                                                          \
  SMCPU_MATH double __nv_##NAME(double x) {                                                                  \
    return __builtin_##NAME(x);                                                                              \
  }                                                                                                          \
  SMCPU_MATH float __nv_##NAME##f(float x) {                                                                 \
    return __builtin_##NAME##f(x);                                                                           \
  }

#define BINARY(NAME)                                                                                         \
  SMCPU_MATH double __nv_##NAME(double x, double y) {                                                        \
    return __builtin_##NAME(x, y);                                                                           \
  }                                                                                                          \
  SMCPU_MATH float __nv_##NAME##f(float x, float y) {                                                        \
    return __builtin_##NAME##f(x, y);                                                                        \
  }

SMCPU_MATH double __nv_j0(double x) {
  return ::j0(x);
}
SMCPU_MATH double __nv_j1(double x) {
  return ::j1(x);
}
SMCPU_MATH double __nv_y0(double x) {
  return ::y0(x);
}
SMCPU_MATH double __nv_y1(double x) {
  return ::y1(x);
}
SMCPU_MATH float __nv_j0f(float x) {
  return ::j0f(x);
}
SMCPU_MATH float __nv_j1f(float x) {
  return ::j1f(x);
}
SMCPU_MATH float __nv_y0f(float x) {
  return ::y0f(x);
}
SMCPU_MATH float __nv_y1f(float x) {
  return ::y1f(x);
}

#define FORMULA(NAME, ...)                                                                                   \
  SMCPU_MATH double __nv_##NAME(double x) {                                                                  \
    using T = double;                                                                                        \
    return __VA_ARGS__;                                                                                      \
  }                                                                                                          \
  SMCPU_MATH float __nv_##NAME##f(float x) {                                                                 \
    using T = float;                                                                                         \
    return __VA_ARGS__;                                                                                      \
  }
inline constexpr double pi = 3.14159265358979323846;
FORMULA(rsqrt, T(1) / std::sqrt(x))
FORMULA(rcbrt, T(1) / std::cbrt(x))
FORMULA(sinpi, static_cast<T>(std::sin(pi *std::fmod(static_cast<double>(x), 2.0))))
FORMULA(cospi, static_cast<T>(std::cos(pi *std::fmod(static_cast<double>(x), 2.0))))
FORMULA(erfcx, static_cast<T>(std::exp(static_cast<double>(x) * x) * std::erfc(static_cast<double>(x))))
FORMULA(normcdf, static_cast<T>(0.5 * std::erfc(-static_cast<double>(x) / 1.41421356237309504880)))

namespace {

/// The standard normal quantile: Acklam's rational start (P. J. Acklam, 2003), then two Newton-Halley steps,
/// which give double precision.
double normalQuantile(double p) {
  if (!(p > 0 && p < 1))
    return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  double x;
  if (p < 0.02425 || p > 1 - 0.02425) {
    const double q = std::sqrt(-2 * std::log(p < 0.5 ? p : 1 - p));
    x = (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
           2.549732539343734e+00) *
              q +
          4.374664141464968e+00) *
             q +
         2.938163982698783e+00) /
        ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
          3.754408661907416e+00) *
             q +
         1);
    if (p > 0.5)
      x = -x;
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
           1.383577518672690e+02) *
              r -
          3.066479806614716e+01) *
             r +
         2.506628277459239e+00) *
        q /
        (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
           6.680131188771972e+01) *
              r -
          1.328068155288572e+01) *
             r +
         1);
  }
  for (int step = 0; step != 2; ++step) {
    const double error = 0.5 * std::erfc(-x / 1.41421356237309504880) - p;
    const double u = error * 2.50662827463100050242 * std::exp(x * x / 2);
    x -= u / (1 + x * u / 2);
  }
  return x;
}

double inverseErf(double x) {
  return normalQuantile((x + 1) / 2) / 1.41421356237309504880;
}
double inverseErfc(double x) {
  return -normalQuantile(x / 2) / 1.41421356237309504880;
}

/// Float to integer as the GPU does it: out of range saturates, not-a-number is zero.
template <class Integer, class Real>
Integer convert(Real value) {
  constexpr Integer least = static_cast<Integer>(-1) < 0
                                ? static_cast<Integer>(Integer{1} << (sizeof(Integer) * 8 - 1))
                                : Integer{0};
  constexpr Integer most = static_cast<Integer>(~least);
  if (value != value)
    return 0;
  if (value <= static_cast<Real>(least))
    return least;
  if (value >= static_cast<Real>(most))
    return most;
  return static_cast<Integer>(value);
}

template <class To, class From>
To bits(From from) {
  return __builtin_bit_cast(To, from);
}

} // namespace

SMCPU_MATH double __nv_normcdfinv(double x) {
  return normalQuantile(x);
}
SMCPU_MATH float __nv_normcdfinvf(float x) {
  return static_cast<float>(normalQuantile(static_cast<double>(x)));
}
SMCPU_MATH double __nv_erfinv(double x) {
  return inverseErf(x);
}
SMCPU_MATH float __nv_erfinvf(float x) {
  return static_cast<float>(inverseErf(static_cast<double>(x)));
}
SMCPU_MATH double __nv_erfcinv(double x) {
  return inverseErfc(x);
}
SMCPU_MATH float __nv_erfcinvf(float x) {
  return static_cast<float>(inverseErfc(static_cast<double>(x)));
}

// Two results, mixed types, norms.
SMCPU_MATH void __nv_sincos(double x, double *s, double *c) {
  *s = std::sin(x), *c = std::cos(x);
}
SMCPU_MATH void __nv_sincosf(float x, float *s, float *c) {
  *s = std::sin(x), *c = std::cos(x);
}
SMCPU_MATH void __nv_fast_sincosf(float x, float *s, float *c) {
  *s = std::sin(x), *c = std::cos(x);
}
SMCPU_MATH void __nv_sincospi(double x, double *s, double *c) {
  *s = __nv_sinpi(x), *c = __nv_cospi(x);
}
SMCPU_MATH void __nv_sincospif(float x, float *s, float *c) {
  *s = __nv_sinpif(x), *c = __nv_cospif(x);
}
SMCPU_MATH double __nv_frexp(double x, int *e) {
  return std::frexp(x, e);
}
SMCPU_MATH float __nv_frexpf(float x, int *e) {
  return std::frexp(x, e);
}
SMCPU_MATH double __nv_modf(double x, double *i) {
  return std::modf(x, i);
}
SMCPU_MATH float __nv_modff(float x, float *i) {
  return std::modf(x, i);
}
SMCPU_MATH double __nv_remquo(double x, double y, int *q) {
  return std::remquo(x, y, q);
}
SMCPU_MATH float __nv_remquof(float x, float y, int *q) {
  return std::remquo(x, y, q);
}
SMCPU_MATH double __nv_ldexp(double x, int e) {
  return __builtin_ldexp(x, e);
}
SMCPU_MATH float __nv_ldexpf(float x, int e) {
  return __builtin_ldexpf(x, e);
}
SMCPU_MATH double __nv_scalbn(double x, int e) {
  return __builtin_ldexp(x, e);
}
SMCPU_MATH float __nv_scalbnf(float x, int e) {
  return __builtin_ldexpf(x, e);
}
SMCPU_MATH double __nv_powi(double x, int n) {
  return __builtin_pow(x, n);
}
SMCPU_MATH float __nv_powif(float x, int n) {
  return __builtin_powf(x, static_cast<float>(n));
}
SMCPU_MATH int __nv_ilogb(double x) {
  return std::ilogb(x);
}
SMCPU_MATH int __nv_ilogbf(float x) {
  return std::ilogb(x);
}
SMCPU_MATH double __nv_jn(int n, double x) {
  return ::jn(n, x);
}
SMCPU_MATH float __nv_jnf(int n, float x) {
  return ::jnf(n, x);
}
SMCPU_MATH double __nv_yn(int n, double x) {
  return ::yn(n, x);
}
SMCPU_MATH float __nv_ynf(int n, float x) {
  return ::ynf(n, x);
}
SMCPU_MATH double __nv_fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
SMCPU_MATH float __nv_fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
SMCPU_MATH double __nv_nan(const char *) {
  return NAN;
}
SMCPU_MATH float __nv_nanf(const char *) {
  return NAN;
}
SMCPU_MATH double __nv_norm3d(double x, double y, double z) {
  return std::hypot(x, y, z);
}
SMCPU_MATH float __nv_norm3df(float x, float y, float z) {
  return std::hypot(x, y, z);
}
SMCPU_MATH double __nv_rnorm3d(double x, double y, double z) {
  return 1 / std::hypot(x, y, z);
}
SMCPU_MATH float __nv_rnorm3df(float x, float y, float z) {
  return 1 / std::hypot(x, y, z);
}
SMCPU_MATH double __nv_norm4d(double x, double y, double z, double w) {
  return std::hypot(std::hypot(x, y, z), w);
}
SMCPU_MATH float __nv_norm4df(float x, float y, float z, float w) {
  return std::hypot(std::hypot(x, y, z), w);
}
SMCPU_MATH double __nv_rnorm4d(double x, double y, double z, double w) {
  return 1 / __nv_norm4d(x, y, z, w);
}
SMCPU_MATH float __nv_rnorm4df(float x, float y, float z, float w) {
  return 1 / __nv_norm4df(x, y, z, w);
}
SMCPU_MATH double __nv_rhypot(double x, double y) {
  return 1 / std::hypot(x, y);
}
SMCPU_MATH float __nv_rhypotf(float x, float y) {
  return 1 / std::hypot(x, y);
}
SMCPU_MATH double __nv_norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return std::sqrt(sum);
}
SMCPU_MATH float __nv_normf(int n, const float *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return static_cast<float>(std::sqrt(sum));
}
SMCPU_MATH double __nv_rnorm(int n, const double *x) {
  return 1 / __nv_norm(n, x);
}
SMCPU_MATH float __nv_rnormf(int n, const float *x) {
  return 1 / __nv_normf(n, x);
}

// Fast approximations, exact here.
SMCPU_MATH float __nv_fast_sinf(float x) {
  return __builtin_sinf(x);
}
SMCPU_MATH float __nv_fast_cosf(float x) {
  return __builtin_cosf(x);
}
SMCPU_MATH float __nv_fast_tanf(float x) {
  return __builtin_tanf(x);
}
SMCPU_MATH float __nv_fast_expf(float x) {
  return __builtin_expf(x);
}
SMCPU_MATH float __nv_fast_exp10f(float x) {
  return __builtin_exp10f(x);
}
SMCPU_MATH float __nv_fast_logf(float x) {
  return __builtin_logf(x);
}
SMCPU_MATH float __nv_fast_log2f(float x) {
  return __builtin_log2f(x);
}
SMCPU_MATH float __nv_fast_log10f(float x) {
  return __builtin_log10f(x);
}
SMCPU_MATH float __nv_fast_powf(float x, float y) {
  return __builtin_powf(x, y);
}
SMCPU_MATH float __nv_fast_fdividef(float x, float y) {
  return x / y;
}
SMCPU_MATH float __nv_saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

// Classification and integer rounding.
SMCPU_MATH int __nv_isnand(double x) {
  return __builtin_isnan(x);
}
SMCPU_MATH int __nv_isnanf(float x) {
  return __builtin_isnan(x);
}
SMCPU_MATH int __nv_isinfd(double x) {
  return __builtin_isinf(x);
}
SMCPU_MATH int __nv_isinff(float x) {
  return __builtin_isinf(x);
}
SMCPU_MATH int __nv_isfinited(double x) {
  return __builtin_isfinite(x);
}
SMCPU_MATH int __nv_finitef(float x) {
  return __builtin_isfinite(x);
}
SMCPU_MATH int __nv_signbitd(double x) {
  return __builtin_signbit(x) != 0;
}
SMCPU_MATH int __nv_signbitf(float x) {
  return __builtin_signbitf(x) != 0;
}
SMCPU_MATH long long __nv_llrint(double x) {
  return convert<long long>(__builtin_rint(x));
}
SMCPU_MATH long long __nv_llrintf(float x) {
  return convert<long long>(__builtin_rintf(x));
}
SMCPU_MATH long long __nv_llround(double x) {
  return convert<long long>(__builtin_round(x));
}
SMCPU_MATH long long __nv_llroundf(float x) {
  return convert<long long>(__builtin_roundf(x));
}

// Integers.
SMCPU_MATH int __nv_abs(int x) {
  return x < 0 ? static_cast<int>(0u - static_cast<unsigned>(x)) : x;
}
SMCPU_MATH long long __nv_llabs(long long x) {
  return x < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(x)) : x;
}
SMCPU_MATH int __nv_min(int a, int b) {
  return a < b ? a : b;
}
SMCPU_MATH int __nv_max(int a, int b) {
  return a < b ? b : a;
}
SMCPU_MATH unsigned __nv_umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
SMCPU_MATH unsigned __nv_umax(unsigned a, unsigned b) {
  return a < b ? b : a;
}
SMCPU_MATH long long __nv_llmin(long long a, long long b) {
  return a < b ? a : b;
}
SMCPU_MATH long long __nv_llmax(long long a, long long b) {
  return a < b ? b : a;
}
SMCPU_MATH unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
SMCPU_MATH unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
SMCPU_MATH int __nv_mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
SMCPU_MATH unsigned __nv_umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
SMCPU_MATH long long __nv_mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
SMCPU_MATH unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
SMCPU_MATH int __nv_mul24(int a, int b) {
  return (a << 8 >> 8) * (b << 8 >> 8);
}
SMCPU_MATH unsigned __nv_umul24(unsigned a, unsigned b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
SMCPU_MATH int __nv_hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
SMCPU_MATH int __nv_rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
SMCPU_MATH unsigned __nv_uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
SMCPU_MATH unsigned __nv_urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
SMCPU_MATH unsigned __nv_sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? static_cast<long long>(b) - a : static_cast<long long>(a) - b);
}
SMCPU_MATH unsigned __nv_usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
SMCPU_MATH int __nv_popc(unsigned x) {
  return __builtin_popcount(x);
}
SMCPU_MATH int __nv_popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
SMCPU_MATH int __nv_clz(int x) {
  return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
SMCPU_MATH int __nv_clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
SMCPU_MATH int __nv_ffs(int x) {
  return __builtin_ffs(x);
}
SMCPU_MATH int __nv_ffsll(long long x) {
  return __builtin_ffsll(x);
}
SMCPU_MATH unsigned __nv_brev(unsigned x) {
  return __builtin_bitreverse32(x);
}
SMCPU_MATH unsigned long long __nv_brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
SMCPU_MATH unsigned __nv_byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i != 4; ++i) {
    const unsigned choice = selector >> 4 * i & 15;
    unsigned byte = static_cast<unsigned>(both >> 8 * (choice & 7) & 0xff);
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// To nearest is how the host computes anyway.
SMCPU_MATH float __nv_fadd_rn(float x, float y) {
  return x + y;
}
SMCPU_MATH float __nv_fsub_rn(float x, float y) {
  return x - y;
}
SMCPU_MATH float __nv_fmul_rn(float x, float y) {
  return x * y;
}
SMCPU_MATH float __nv_fdiv_rn(float x, float y) {
  return x / y;
}
SMCPU_MATH float __nv_frcp_rn(float x) {
  return 1.0f / x;
}
SMCPU_MATH float __nv_fsqrt_rn(float x) {
  return __builtin_sqrtf(x);
}
SMCPU_MATH float __nv_frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
SMCPU_MATH double __nv_dadd_rn(double x, double y) {
  return x + y;
}
SMCPU_MATH double __nv_dsub_rn(double x, double y) {
  return x - y;
}
SMCPU_MATH double __nv_dmul_rn(double x, double y) {
  return x * y;
}
SMCPU_MATH double __nv_ddiv_rn(double x, double y) {
  return x / y;
}
SMCPU_MATH double __nv_drcp_rn(double x) {
  return 1.0 / x;
}
SMCPU_MATH double __nv_dsqrt_rn(double x) {
  return __builtin_sqrt(x);
}
SMCPU_MATH double __nv_fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
SMCPU_MATH float __nv_fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
SMCPU_MATH float __nv_fmaf_ieee_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
SMCPU_MATH float __nv_double2float_rn(double x) {
  return static_cast<float>(x);
}
SMCPU_MATH float __nv_int2float_rn(int x) {
  return static_cast<float>(x);
}
SMCPU_MATH float __nv_uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
SMCPU_MATH float __nv_ll2float_rn(long long x) {
  return static_cast<float>(x);
}
SMCPU_MATH float __nv_ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
SMCPU_MATH double __nv_int2double_rn(int x) {
  return x;
}
SMCPU_MATH double __nv_uint2double_rn(unsigned x) {
  return x;
}
SMCPU_MATH double __nv_ll2double_rn(long long x) {
  return static_cast<double>(x);
}
SMCPU_MATH double __nv_ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}

#define CONVERSIONS(SUFFIX, ROUND)                                                                           \
  SMCPU_MATH int __nv_float2int_##SUFFIX(float x) {                                                          \
    return convert<int>(ROUND##f(x));                                                                        \
  }                                                                                                          \
  SMCPU_MATH unsigned __nv_float2uint_##SUFFIX(float x) {                                                    \
    return convert<unsigned>(ROUND##f(x));                                                                   \
  }                                                                                                          \
  SMCPU_MATH long long __nv_float2ll_##SUFFIX(float x) {                                                     \
    return convert<long long>(ROUND##f(x));                                                                  \
  }                                                                                                          \
  SMCPU_MATH unsigned long long __nv_float2ull_##SUFFIX(float x) {                                           \
    return convert<unsigned long long>(ROUND##f(x));                                                         \
  }                                                                                                          \
  SMCPU_MATH int __nv_double2int_##SUFFIX(double x) {                                                        \
    return convert<int>(ROUND(x));                                                                           \
  }                                                                                                          \
  SMCPU_MATH unsigned __nv_double2uint_##SUFFIX(double x) {                                                  \
    return convert<unsigned>(ROUND(x));                                                                      \
  }                                                                                                          \
  SMCPU_MATH long long __nv_double2ll_##SUFFIX(double x) {                                                   \
    return convert<long long>(ROUND(x));                                                                     \
  }                                                                                                          \
  SMCPU_MATH unsigned long long __nv_double2ull_##SUFFIX(double x) {                                         \
    return convert<unsigned long long>(ROUND(x));                                                            \
  }
CONVERSIONS(rn, __builtin_rint)
CONVERSIONS(rd, __builtin_floor)
CONVERSIONS(ru, __builtin_ceil)
CONVERSIONS(rz, __builtin_trunc)

// The same bits as another type.
SMCPU_MATH int __nv_float_as_int(float x) {
  return bits<int>(x);
}
SMCPU_MATH unsigned __nv_float_as_uint(float x) {
  return bits<unsigned>(x);
}
SMCPU_MATH float __nv_int_as_float(int x) {
  return bits<float>(x);
}
SMCPU_MATH float __nv_uint_as_float(unsigned x) {
  return bits<float>(x);
}
SMCPU_MATH long long __nv_double_as_longlong(double x) {
  return bits<long long>(x);
}
SMCPU_MATH double __nv_longlong_as_double(long long x) {
  return bits<double>(x);
}
SMCPU_MATH int __nv_double2hiint(double x) {
  return static_cast<int>(bits<long long>(x) >> 32);
}
SMCPU_MATH int __nv_double2loint(double x) {
  return static_cast<int>(bits<long long>(x));
}
SMCPU_MATH double __nv_hiloint2double(int high, int low) {
  return bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                      static_cast<unsigned>(low));
}
SMCPU_MATH float __nv_half2float(short x) {
  return static_cast<float>(bits<_Float16>(x));
}
SMCPU_MATH short __nv_float2half_rn(float x) {
  return bits<short>(static_cast<_Float16>(x));
}

// The functions of one and of two values that have the same name everywhere.
// clang-format off
UNARY(acos) UNARY(acosh) UNARY(asin) UNARY(asinh) UNARY(atan) UNARY(atanh) UNARY(cbrt) UNARY(ceil)
UNARY(cos) UNARY(cosh) UNARY(erf) UNARY(erfc) UNARY(exp) UNARY(exp2) UNARY(exp10) UNARY(expm1)
UNARY(fabs) UNARY(floor) UNARY(lgamma) UNARY(log) UNARY(log10) UNARY(log1p) UNARY(log2) UNARY(logb)
UNARY(nearbyint) UNARY(rint) UNARY(round) UNARY(sin) UNARY(sinh) UNARY(sqrt) UNARY(tan) UNARY(tanh)
UNARY(tgamma) UNARY(trunc)
BINARY(atan2) BINARY(copysign) BINARY(fdim) BINARY(fmax) BINARY(fmin) BINARY(fmod) BINARY(hypot)
BINARY(nextafter) BINARY(pow) BINARY(remainder)
    // clang-format on
