// Arithmetic that device code reaches through NVVM intrinsics or inline PTX: approximations, half precision,
// bit fields, carries, cache-hinted loads.
#include "Thread.h"
#include <cmath>

using namespace smcpu;

// Rounded and approximate operations of one value; the flush-to-zero forms keep subnormals.
#define UNARY(NAME, TYPE, EXPRESSION)                                                                        \
  SMCPU_EXPORT TYPE smcpu_nvvm_##NAME(Thread *, TYPE x) {                                                    \
    return EXPRESSION;                                                                                       \
  }
#define BOTH_FTZ(NAME, KIND, TYPE, EXPRESSION)                                                               \
  UNARY(NAME##_##KIND, TYPE, EXPRESSION) UNARY(NAME##_ftz_##KIND, TYPE, EXPRESSION)
BOTH_FTZ(sqrt_approx, f, float, __builtin_sqrtf(x))
BOTH_FTZ(sqrt_rn, f, float, __builtin_sqrtf(x))
UNARY(sqrt_f, float, __builtin_sqrtf(x))
UNARY(sqrt_rn_d, double, __builtin_sqrt(x))
BOTH_FTZ(rsqrt_approx, f, float, 1.0f / __builtin_sqrtf(x))
BOTH_FTZ(rsqrt_approx, d, double, 1.0 / __builtin_sqrt(x))
BOTH_FTZ(rcp_rn, f, float, 1.0f / x)
UNARY(rcp_rn_d, double, 1.0 / x)
UNARY(rcp_approx_ftz_f, float, 1.0f / x)
UNARY(rcp_approx_ftz_d, double, 1.0 / x)
BOTH_FTZ(sin_approx, f, float, __builtin_sinf(x))
BOTH_FTZ(cos_approx, f, float, __builtin_cosf(x))
BOTH_FTZ(ex2_approx, f, float, __builtin_exp2f(x))
BOTH_FTZ(lg2_approx, f, float, __builtin_log2f(x))
UNARY(ex2_approx_f32, float, __builtin_exp2f(x))
UNARY(ex2_approx_ftz_f32, float, __builtin_exp2f(x))
UNARY(lg2_approx_d, double, __builtin_log2(x))
UNARY(ex2_approx_d, double, __builtin_exp2(x))
UNARY(tanh_approx_f32, float, __builtin_tanhf(x))
BOTH_FTZ(floor, f, float, __builtin_floorf(x))
BOTH_FTZ(ceil, f, float, __builtin_ceilf(x))
BOTH_FTZ(trunc, f, float, __builtin_truncf(x))
BOTH_FTZ(round, f, float, __builtin_rintf(x))
BOTH_FTZ(fabs, f, float, __builtin_fabsf(x))
BOTH_FTZ(saturate, f, float, x > 0 ? (x < 1 ? x : 1) : 0)
UNARY(saturate_d, double, x > 0 ? (x < 1 ? x : 1) : 0)

#define BINARY(NAME, TYPE, EXPRESSION)                                                                       \
  SMCPU_EXPORT TYPE smcpu_nvvm_##NAME(Thread *, TYPE x, TYPE y) {                                            \
    return EXPRESSION;                                                                                       \
  }
BINARY(add_rn_f, float, x + y)
BINARY(add_rn_ftz_f, float, x + y)
BINARY(add_rn_d, double, x + y)
BINARY(mul_rn_f, float, x *y)
BINARY(mul_rn_ftz_f, float, x *y)
BINARY(mul_rn_d, double, x *y)
BINARY(div_rn_f, float, x / y)
BINARY(div_rn_ftz_f, float, x / y)
BINARY(div_full, float, x / y)
BINARY(div_full_ftz, float, x / y)
BINARY(div_approx_f, float, x / y)
BINARY(div_approx_ftz_f, float, x / y)
BINARY(div_rn_d, double, x / y)
BINARY(fmin_f, float, __builtin_fminf(x, y))
BINARY(fmin_ftz_f, float, __builtin_fminf(x, y))
BINARY(fmax_f, float, __builtin_fmaxf(x, y))
BINARY(fmax_ftz_f, float, __builtin_fmaxf(x, y))
BINARY(fmin_d, double, __builtin_fmin(x, y))
BINARY(fmax_d, double, __builtin_fmax(x, y))
BINARY(mulhi_i, int32_t, static_cast<int32_t>(int64_t{x} * y >> 32))
BINARY(mulhi_ui, uint32_t, static_cast<uint32_t>(uint64_t{x} * y >> 32))
BINARY(mulhi_ll, int64_t, static_cast<int64_t>(static_cast<__int128>(x) * y >> 64))
BINARY(mulhi_ull, uint64_t, static_cast<uint64_t>(static_cast<unsigned __int128>(x) * y >> 64))
SMCPU_EXPORT float smcpu_nvvm_fma_rn_f(Thread *, float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
SMCPU_EXPORT float smcpu_nvvm_fma_rn_ftz_f(Thread *, float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
SMCPU_EXPORT double smcpu_nvvm_fma_rn_d(Thread *, double x, double y, double z) {
  return __builtin_fma(x, y, z);
}

extern "C" uint32_t __nv_byte_perm(uint32_t, uint32_t, uint32_t);
SMCPU_EXPORT uint32_t smcpu_nvvm_prmt(Thread *, uint32_t a, uint32_t b, uint32_t c) {
  return __nv_byte_perm(a, b, c);
}
SMCPU_EXPORT uint32_t smcpu_ptx_prmt_b32(Thread *, uint32_t a, uint32_t b, uint32_t c) {
  return __nv_byte_perm(a, b, c);
}
SMCPU_EXPORT int32_t smcpu_nvvm_idp4a_s_s(Thread *, int32_t a, int32_t b, int32_t c) {
  for (int i = 0; i != 4; ++i)
    c += static_cast<int8_t>(a >> 8 * i) * static_cast<int8_t>(b >> 8 * i);
  return c;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_idp4a_u_u(Thread *, uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i != 4; ++i)
    c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
/// The bit of the n-th set bit of `mask` counted from `base` (PTX ISA, fns).
SMCPU_EXPORT uint32_t smcpu_nvvm_fns(Thread *, uint32_t mask, uint32_t base, int32_t offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset < 0 ? -offset : offset;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if (mask >> bit & 1 && --left == 0)
      return static_cast<uint32_t>(bit);
  return ~0u;
}

// Inline PTX
// ---------------------------------------------------------------------------------------------------

namespace {
template <class To, class From>
To bits(From from) {
  return __builtin_bit_cast(To, from);
}
using Half = _Float16;
inline Half half(uint16_t x) {
  return bits<Half>(x);
}
inline float single(uint16_t bfloat) {
  return bits<float>(static_cast<uint32_t>(bfloat) << 16);
}
/// Round to nearest even.
inline uint16_t bfloat(float x) {
  uint32_t u = bits<uint32_t>(x);
  if (x != x)
    return 0x7fff;
  u += 0x7fff + (u >> 16 & 1);
  return static_cast<uint16_t>(u >> 16);
}
inline uint16_t low(uint32_t x) {
  return static_cast<uint16_t>(x);
}
inline uint16_t high(uint32_t x) {
  return static_cast<uint16_t>(x >> 16);
}
inline uint32_t pack(uint16_t l, uint16_t h) {
  return l | static_cast<uint32_t>(h) << 16;
}
} // namespace

// Conversions between half, bfloat and single.
SMCPU_EXPORT float smcpu_ptx_cvt_f32_f16(Thread *, uint16_t x) {
  return static_cast<float>(half(x));
}
SMCPU_EXPORT double smcpu_ptx_cvt_f64_f16(Thread *, uint16_t x) {
  return static_cast<double>(half(x));
}
SMCPU_EXPORT uint16_t smcpu_ptx_cvt_rn_f16_f32(Thread *, float x) {
  return bits<uint16_t>(static_cast<Half>(x));
}
SMCPU_EXPORT uint16_t smcpu_ptx_cvt_rn_f16_f64(Thread *, double x) {
  return bits<uint16_t>(static_cast<Half>(x));
}
SMCPU_EXPORT float smcpu_ptx_cvt_f32_bf16(Thread *, uint16_t x) {
  return single(x);
}
SMCPU_EXPORT uint16_t smcpu_ptx_cvt_rn_bf16_f32(Thread *, float x) {
  return bfloat(x);
}
SMCPU_EXPORT uint32_t smcpu_ptx_cvt_rn_f16x2_f32(Thread *, float h, float l) {
  return pack(bits<uint16_t>(static_cast<Half>(l)), bits<uint16_t>(static_cast<Half>(h)));
}
SMCPU_EXPORT uint32_t smcpu_ptx_cvt_rn_bf16x2_f32(Thread *, float h, float l) {
  return pack(bfloat(l), bfloat(h));
}

#define HALF_BINARY(NAME, EXPRESSION)                                                                        \
  SMCPU_EXPORT uint16_t smcpu_ptx_##NAME##_f16(Thread *, uint16_t p, uint16_t q) {                           \
    const Half a = half(p), b = half(q);                                                                     \
    return bits<uint16_t>(static_cast<Half>(EXPRESSION));                                                    \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_##NAME##_f16x2(Thread *t, uint32_t p, uint32_t q) {                        \
    return pack(smcpu_ptx_##NAME##_f16(t, low(p), low(q)), smcpu_ptx_##NAME##_f16(t, high(p), high(q)));     \
  }                                                                                                          \
  SMCPU_EXPORT uint16_t smcpu_ptx_##NAME##_bf16(Thread *, uint16_t p, uint16_t q) {                          \
    const float a = single(p), b = single(q);                                                                \
    return bfloat(EXPRESSION);                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_##NAME##_bf16x2(Thread *t, uint32_t p, uint32_t q) {                       \
    return pack(smcpu_ptx_##NAME##_bf16(t, low(p), low(q)), smcpu_ptx_##NAME##_bf16(t, high(p), high(q)));   \
  }
HALF_BINARY(add, a + b)
HALF_BINARY(sub, a - b)
HALF_BINARY(mul, a *b)
HALF_BINARY(add_rn, a + b)
HALF_BINARY(sub_rn, a - b)
HALF_BINARY(mul_rn, a *b)
HALF_BINARY(min, a != a ? b : b != b ? a : a < b ? a : b)
HALF_BINARY(max, a != a ? b : b != b ? a : a < b ? b : a)

SMCPU_EXPORT uint16_t smcpu_ptx_fma_rn_f16(Thread *, uint16_t a, uint16_t b, uint16_t c) {
  return bits<uint16_t>(static_cast<Half>(__builtin_fma(
      static_cast<double>(half(a)), static_cast<double>(half(b)), static_cast<double>(half(c)))));
}
SMCPU_EXPORT uint32_t smcpu_ptx_fma_rn_f16x2(Thread *t, uint32_t a, uint32_t b, uint32_t c) {
  return pack(smcpu_ptx_fma_rn_f16(t, low(a), low(b), low(c)),
              smcpu_ptx_fma_rn_f16(t, high(a), high(b), high(c)));
}
SMCPU_EXPORT uint16_t smcpu_ptx_fma_rn_bf16(Thread *, uint16_t a, uint16_t b, uint16_t c) {
  return bfloat(static_cast<float>(__builtin_fma(
      static_cast<double>(single(a)), static_cast<double>(single(b)), static_cast<double>(single(c)))));
}
SMCPU_EXPORT uint32_t smcpu_ptx_fma_rn_bf16x2(Thread *t, uint32_t a, uint32_t b, uint32_t c) {
  return pack(smcpu_ptx_fma_rn_bf16(t, low(a), low(b), low(c)),
              smcpu_ptx_fma_rn_bf16(t, high(a), high(b), high(c)));
}
SMCPU_EXPORT uint16_t smcpu_ptx_neg_f16(Thread *, uint16_t a) {
  return a ^ 0x8000;
}
SMCPU_EXPORT uint32_t smcpu_ptx_neg_f16x2(Thread *, uint32_t a) {
  return a ^ 0x80008000u;
}
SMCPU_EXPORT uint16_t smcpu_ptx_neg_bf16(Thread *, uint16_t a) {
  return a ^ 0x8000;
}
SMCPU_EXPORT uint32_t smcpu_ptx_neg_bf16x2(Thread *, uint32_t a) {
  return a ^ 0x80008000u;
}
SMCPU_EXPORT uint16_t smcpu_ptx_abs_f16(Thread *, uint16_t a) {
  return a & 0x7fff;
}
SMCPU_EXPORT uint32_t smcpu_ptx_abs_f16x2(Thread *, uint32_t a) {
  return a & 0x7fff7fffu;
}

// Approximations, bit fields, carries.
SMCPU_EXPORT float smcpu_ptx_rcp_approx_ftz_f32(Thread *, float x) {
  return 1.0f / x;
}
SMCPU_EXPORT float smcpu_ptx_rcp_approx_f32(Thread *, float x) {
  return 1.0f / x;
}
SMCPU_EXPORT float smcpu_ptx_rsqrt_approx_ftz_f32(Thread *, float x) {
  return 1.0f / __builtin_sqrtf(x);
}
SMCPU_EXPORT float smcpu_ptx_rsqrt_approx_f32(Thread *, float x) {
  return 1.0f / __builtin_sqrtf(x);
}
SMCPU_EXPORT float smcpu_ptx_sqrt_approx_ftz_f32(Thread *, float x) {
  return __builtin_sqrtf(x);
}
SMCPU_EXPORT float smcpu_ptx_sqrt_approx_f32(Thread *, float x) {
  return __builtin_sqrtf(x);
}
SMCPU_EXPORT float smcpu_ptx_ex2_approx_ftz_f32(Thread *, float x) {
  return __builtin_exp2f(x);
}
SMCPU_EXPORT float smcpu_ptx_ex2_approx_f32(Thread *, float x) {
  return __builtin_exp2f(x);
}
SMCPU_EXPORT float smcpu_ptx_lg2_approx_ftz_f32(Thread *, float x) {
  return __builtin_log2f(x);
}
SMCPU_EXPORT float smcpu_ptx_lg2_approx_f32(Thread *, float x) {
  return __builtin_log2f(x);
}
SMCPU_EXPORT float smcpu_ptx_sin_approx_f32(Thread *, float x) {
  return __builtin_sinf(x);
}
SMCPU_EXPORT float smcpu_ptx_cos_approx_f32(Thread *, float x) {
  return __builtin_cosf(x);
}
SMCPU_EXPORT float smcpu_ptx_tanh_approx_f32(Thread *, float x) {
  return __builtin_tanhf(x);
}
SMCPU_EXPORT uint32_t smcpu_ptx_bfe_u32(Thread *, uint32_t x, uint32_t at, uint32_t length) {
  at &= 255, length &= 255;
  if (at > 31 || length == 0)
    return 0;
  return length > 31 ? x >> at : x >> at & ((1u << length) - 1);
}
SMCPU_EXPORT uint32_t smcpu_ptx_bfi_b32(Thread *, uint32_t from, uint32_t into, uint32_t at,
                                        uint32_t length) {
  at &= 255, length &= 255;
  if (at > 31 || length == 0)
    return into;
  const uint32_t mask = (length > 31 ? ~0u : (1u << length) - 1) << at;
  return (into & ~mask) | (from << at & mask);
}
SMCPU_EXPORT uint32_t smcpu_ptx_bfind_u32(Thread *, uint32_t x) {
  return x ? 31u - __builtin_clz(x) : ~0u;
}
SMCPU_EXPORT uint32_t smcpu_ptx_bmsk_clamp_b32(Thread *, uint32_t at, uint32_t length) {
  if (at > 31 || length == 0)
    return 0;
  return (length > 31 ? ~0u : (1u << length) - 1) << at;
}
SMCPU_EXPORT uint32_t smcpu_ptx_brev_b32(Thread *, uint32_t x) {
  return __builtin_bitreverse32(x);
}
SMCPU_EXPORT uint32_t smcpu_ptx_popc_b32(Thread *, uint32_t x) {
  return static_cast<uint32_t>(__builtin_popcount(x));
}
SMCPU_EXPORT uint32_t smcpu_ptx_shf_l_wrap_b32(Thread *, uint32_t l, uint32_t h, uint32_t by) {
  return static_cast<uint32_t>((static_cast<uint64_t>(h) << 32 | l) << (by & 31) >> 32);
}
SMCPU_EXPORT uint32_t smcpu_ptx_shf_r_wrap_b32(Thread *, uint32_t l, uint32_t h, uint32_t by) {
  return static_cast<uint32_t>((static_cast<uint64_t>(h) << 32 | l) >> (by & 31));
}
SMCPU_EXPORT uint32_t smcpu_ptx_vabsdiff_u32_u32_u32_add(Thread *, uint32_t a, uint32_t b, uint32_t c) {
  return (a < b ? b - a : a - b) + c;
}
SMCPU_EXPORT int32_t smcpu_ptx_mul24_lo_s32(Thread *, int32_t a, int32_t b) {
  return (a << 8 >> 8) * (b << 8 >> 8);
}
SMCPU_EXPORT int32_t smcpu_ptx_mad_lo_s32(Thread *, int32_t a, int32_t b, int32_t c) {
  return a * b + c;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mad_lo_u32(Thread *, uint32_t a, uint32_t b, uint32_t c) {
  return a * b + c;
}
SMCPU_EXPORT uint32_t smcpu_ptx_add_u32(Thread *, uint32_t a, uint32_t b) {
  return a + b;
}
SMCPU_EXPORT int32_t smcpu_ptx_add_s32(Thread *, int32_t a, int32_t b) {
  return a + b;
}
SMCPU_EXPORT float smcpu_ptx_fma_rn_f32(Thread *, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SMCPU_EXPORT float smcpu_ptx_add_f32(Thread *, float a, float b) {
  return a + b;
}
SMCPU_EXPORT float smcpu_ptx_mul_f32(Thread *, float a, float b) {
  return a * b;
}

// Loads and stores with cache hints or memory order, and fences.
#define LOADS(HINT)                                                                                          \
  SMCPU_EXPORT float smcpu_ptx_ld_##HINT##_f32(Thread *, const float *p) {                                   \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT double smcpu_ptx_ld_##HINT##_f64(Thread *, const double *p) {                                 \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_ld_##HINT##_u32(Thread *, const uint32_t *p) {                             \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_ld_##HINT##_s32(Thread *, const uint32_t *p) {                             \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_ld_##HINT##_b32(Thread *, const uint32_t *p) {                             \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint64_t smcpu_ptx_ld_##HINT##_u64(Thread *, const uint64_t *p) {                             \
    return *p;                                                                                               \
  }                                                                                                          \
  SMCPU_EXPORT uint64_t smcpu_ptx_ld_##HINT##_b64(Thread *, const uint64_t *p) {                             \
    return *p;                                                                                               \
  }
LOADS(global)
LOADS(global_nc)
LOADS(global_ca)
LOADS(global_cg)
LOADS(global_cs)
LOADS(global_cv)
LOADS(global_lu)
LOADS(global_nc_L1__no_allocate)
#define STORES(HINT)                                                                                         \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_f32(Thread *, float *p, float x) {                                 \
    *p = x;                                                                                                  \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_f64(Thread *, double *p, double x) {                               \
    *p = x;                                                                                                  \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_u32(Thread *, uint32_t *p, uint32_t x) {                           \
    *p = x;                                                                                                  \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_b32(Thread *, uint32_t *p, uint32_t x) {                           \
    *p = x;                                                                                                  \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_u64(Thread *, uint64_t *p, uint64_t x) {                           \
    *p = x;                                                                                                  \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_##HINT##_b64(Thread *, uint64_t *p, uint64_t x) {                           \
    *p = x;                                                                                                  \
  }
STORES(global)
STORES(global_wb)
STORES(global_cg)
STORES(global_cs)
STORES(global_wt)
#define ORDERED(SCOPE)                                                                                       \
  SMCPU_EXPORT uint32_t smcpu_ptx_ld_acquire_##SCOPE##_u32(Thread *, const uint32_t *p) {                    \
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);                                                             \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_ld_acquire_##SCOPE##_global_u32(Thread *, const uint32_t *p) {             \
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);                                                             \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_release_##SCOPE##_u32(Thread *, uint32_t *p, uint32_t x) {                  \
    __atomic_store_n(p, x, __ATOMIC_RELEASE);                                                                \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_st_release_##SCOPE##_global_u32(Thread *, uint32_t *p, uint32_t x) {           \
    __atomic_store_n(p, x, __ATOMIC_RELEASE);                                                                \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_atom_add_release_##SCOPE##_u32(Thread *, uint32_t *p, uint32_t x) {        \
    return __atomic_fetch_add(p, x, __ATOMIC_RELEASE);                                                       \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_fence_acq_rel_##SCOPE(Thread *) {                                              \
    __atomic_thread_fence(__ATOMIC_ACQ_REL);                                                                 \
  }                                                                                                          \
  SMCPU_EXPORT void smcpu_ptx_fence_sc_##SCOPE(Thread *) {                                                   \
    __atomic_thread_fence(__ATOMIC_SEQ_CST);                                                                 \
  }
ORDERED(cta)
ORDERED(gpu)
ORDERED(sys)
SMCPU_EXPORT void smcpu_ptx_membar_gl(Thread *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
SMCPU_EXPORT void smcpu_ptx_membar_sys(Thread *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
SMCPU_EXPORT void smcpu_ptx_membar_cta(Thread *) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Comparisons into a predicate. The ordered ones are false for not-a-number, those with a u are true.
#define COMPARE(NAME, TYPE, READ, EXPRESSION)                                                                \
  SMCPU_EXPORT bool smcpu_ptx_setp_##NAME(Thread *, TYPE p, TYPE q) {                                        \
    const auto a = READ(p), b = READ(q);                                                                     \
    return EXPRESSION;                                                                                       \
  }
#define ORDERINGS(SUFFIX, TYPE, READ)                                                                        \
  COMPARE(eq_##SUFFIX, TYPE, READ, a == b)                                                                   \
  COMPARE(ne_##SUFFIX, TYPE, READ, a != b && a == a && b == b)                                               \
  COMPARE(lt_##SUFFIX, TYPE, READ, a < b)                                                                    \
  COMPARE(le_##SUFFIX, TYPE, READ, a <= b)                                                                   \
  COMPARE(gt_##SUFFIX, TYPE, READ, a > b)                                                                    \
  COMPARE(ge_##SUFFIX, TYPE, READ, a >= b)
#define UNORDERED(SUFFIX, TYPE, READ)                                                                        \
  ORDERINGS(SUFFIX, TYPE, READ)                                                                              \
  COMPARE(equ_##SUFFIX, TYPE, READ, !(a < b || a > b))                                                       \
  COMPARE(neu_##SUFFIX, TYPE, READ, a != b)                                                                  \
  COMPARE(ltu_##SUFFIX, TYPE, READ, !(a >= b))                                                               \
  COMPARE(leu_##SUFFIX, TYPE, READ, !(a > b))                                                                \
  COMPARE(gtu_##SUFFIX, TYPE, READ, !(a <= b))                                                               \
  COMPARE(geu_##SUFFIX, TYPE, READ, !(a < b))                                                                \
  COMPARE(nan_##SUFFIX, TYPE, READ, a != a || b != b)                                                        \
  COMPARE(num_##SUFFIX, TYPE, READ, a == a && b == b)
namespace {
inline float same(float x) {
  return x;
}
inline double same(double x) {
  return x;
}
template <class T>
T plain(T x) {
  return x;
}
} // namespace
UNORDERED(f16, uint16_t, half)
UNORDERED(bf16, uint16_t, single)
UNORDERED(f32, float, same)
UNORDERED(f64, double, same)
ORDERINGS(s32, int32_t, plain)
ORDERINGS(u32, uint32_t, plain)
ORDERINGS(b32, uint32_t, plain)
ORDERINGS(s64, int64_t, plain)
ORDERINGS(u64, uint64_t, plain)
ORDERINGS(s16, int16_t, plain)
ORDERINGS(u16, uint16_t, plain)

// Integer and floating-point instructions as they stand in PTX.
#define PTX2(NAME, TYPE, EXPRESSION)                                                                         \
  SMCPU_EXPORT TYPE smcpu_ptx_##NAME(Thread *, TYPE a, TYPE b) {                                             \
    return static_cast<TYPE>(EXPRESSION);                                                                    \
  }
#define BITWISE(TYPE, BITS)                                                                                  \
  PTX2(and_b##BITS, TYPE, a &b)                                                                              \
  PTX2(or_b##BITS, TYPE, a | b)                                                                              \
  PTX2(xor_b##BITS, TYPE, a ^ b)                                                                             \
  SMCPU_EXPORT TYPE smcpu_ptx_not_b##BITS(Thread *, TYPE a) {                                                \
    return static_cast<TYPE>(~a);                                                                            \
  }                                                                                                          \
  SMCPU_EXPORT TYPE smcpu_ptx_shl_b##BITS(Thread *, TYPE a, uint32_t by) {                                   \
    return by < BITS ? static_cast<TYPE>(a << by) : TYPE{0};                                                 \
  }
BITWISE(uint16_t, 16)
BITWISE(uint32_t, 32)
BITWISE(uint64_t, 64)
SMCPU_EXPORT uint32_t smcpu_ptx_shr_u32(Thread *, uint32_t a, uint32_t by) {
  return by < 32 ? a >> by : 0;
}
SMCPU_EXPORT int32_t smcpu_ptx_shr_s32(Thread *, int32_t a, uint32_t by) {
  return a >> (by < 32 ? by : 31);
}
SMCPU_EXPORT uint64_t smcpu_ptx_shr_u64(Thread *, uint64_t a, uint32_t by) {
  return by < 64 ? a >> by : 0;
}
#define INTEGER(TYPE, SUFFIX)                                                                                \
  PTX2(min_##SUFFIX, TYPE, a < b ? a : b)                                                                    \
  PTX2(max_##SUFFIX, TYPE, a < b ? b : a)                                                                    \
  PTX2(sub_##SUFFIX, TYPE, a - b)                                                                            \
  PTX2(mul_lo_##SUFFIX, TYPE, a *b)
INTEGER(int32_t, s32)
INTEGER(uint32_t, u32)
INTEGER(int64_t, s64)
INTEGER(uint64_t, u64)
PTX2(add_s64, int64_t, a + b)
PTX2(add_u64, uint64_t, a + b)
PTX2(mul_hi_u32, uint32_t, uint64_t{a} * b >> 32)
PTX2(mul_hi_s32, int32_t, int64_t{a} * b >> 32)
PTX2(add_rn_f32, float, a + b)
PTX2(sub_f32, float, a - b)
PTX2(sub_rn_f32, float, a - b)
PTX2(mul_rn_f32, float, a *b)
PTX2(add_f64, double, a + b)
PTX2(mul_f64, double, a *b)
PTX2(add_rn_f64, double, a + b)
PTX2(mul_rn_f64, double, a *b)
PTX2(min_f32, float, __builtin_fminf(a, b))
PTX2(max_f32, float, __builtin_fmaxf(a, b))
SMCPU_EXPORT float smcpu_ptx_fma_rn_ftz_f32(Thread *, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SMCPU_EXPORT double smcpu_ptx_fma_rn_f64(Thread *, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
SMCPU_EXPORT float smcpu_ptx_neg_f32(Thread *, float a) {
  return -a;
}
SMCPU_EXPORT float smcpu_ptx_abs_f32(Thread *, float a) {
  return __builtin_fabsf(a);
}

// Comparisons into a number: 1 or 0.
#define SET(NAME, EXPRESSION)                                                                                \
  SMCPU_EXPORT uint16_t smcpu_ptx_set_##NAME##_f16_f16(Thread *, uint16_t p, uint16_t q) {                   \
    const Half a = half(p), b = half(q);                                                                     \
    return bits<uint16_t>(static_cast<Half>((EXPRESSION) ? 1 : 0));                                          \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_set_##NAME##_f16x2_f16x2(Thread *t, uint32_t p, uint32_t q) {              \
    return pack(smcpu_ptx_set_##NAME##_f16_f16(t, low(p), low(q)),                                           \
                smcpu_ptx_set_##NAME##_f16_f16(t, high(p), high(q)));                                        \
  }
SET(eq, a == b)
SET(ne, a != b && a == a && b == b)
SET(lt, a < b)
SET(le, a <= b)
SET(gt, a > b)
SET(ge, a >= b)
