// CUDA's arithmetic in a given rounding mode (_rd, _ru, _rz): computed in that mode of the host, so exact.
#include <cfenv>
#include <cmath>

#pragma STDC FENV_ACCESS ON

#define SMCPU_MATH extern "C" __attribute__((used))

#define IN_MODE(TYPE, MODE, EXPRESSION)                                                                      \
  const int before = fegetround();                                                                           \
  fesetround(MODE);                                                                                          \
  const TYPE result = EXPRESSION;                                                                            \
  fesetround(before);                                                                                        \
  return result;

#define ROUNDED(SUFFIX, MODE)                                                                                \
  SMCPU_MATH float __nv_fadd_##SUFFIX(float x, float y){                                                     \
      IN_MODE(float, MODE, x + y)} SMCPU_MATH float __nv_fsub_##SUFFIX(float x, float y){                    \
      IN_MODE(float, MODE, x - y)} SMCPU_MATH float __nv_fmul_##SUFFIX(float x, float y){                    \
      IN_MODE(float, MODE, x *y)} SMCPU_MATH float __nv_fdiv_##SUFFIX(float x, float y){                     \
      IN_MODE(float, MODE, x / y)} SMCPU_MATH float __nv_frcp_##SUFFIX(float x){                             \
      IN_MODE(float, MODE, 1.0f / x)} SMCPU_MATH float __nv_fsqrt_##SUFFIX(float x){                         \
      IN_MODE(float, MODE, std::sqrt(x))} SMCPU_MATH double __nv_dadd_##SUFFIX(double x, double y){          \
      IN_MODE(double, MODE, x + y)} SMCPU_MATH double __nv_dsub_##SUFFIX(double x, double y){                \
      IN_MODE(double, MODE, x - y)} SMCPU_MATH double __nv_dmul_##SUFFIX(double x, double y){                \
      IN_MODE(double, MODE, x *y)} SMCPU_MATH double __nv_ddiv_##SUFFIX(double x, double y){                 \
      IN_MODE(double, MODE, x / y)} SMCPU_MATH double __nv_drcp_##SUFFIX(double x){                          \
      IN_MODE(double, MODE, 1.0 / x)} SMCPU_MATH double __nv_dsqrt_##SUFFIX(double x){                       \
      IN_MODE(double, MODE, std::sqrt(x))} SMCPU_MATH double __nv_fma_##SUFFIX(double x, double y,           \
                                                                               double z){IN_MODE(            \
      double, MODE, std::fma(x, y, z))} SMCPU_MATH float __nv_fmaf_##SUFFIX(float x, float y, float z){      \
      IN_MODE(float, MODE, std::fma(x, y, z))} SMCPU_MATH float __nv_double2float_##SUFFIX(double x){        \
      IN_MODE(float, MODE, static_cast<float>(x))} SMCPU_MATH float __nv_int2float_##SUFFIX(int x){          \
      IN_MODE(float, MODE, static_cast<float>(x))} SMCPU_MATH float __nv_uint2float_##SUFFIX(unsigned x){    \
      IN_MODE(float, MODE, static_cast<float>(x))} SMCPU_MATH float __nv_ll2float_##SUFFIX(long long x){     \
      IN_MODE(float, MODE,                                                                                   \
              static_cast<float>(x))} SMCPU_MATH float __nv_ull2float_##SUFFIX(unsigned long long x){        \
      IN_MODE(float, MODE, static_cast<float>(x))} SMCPU_MATH double __nv_ll2double_##SUFFIX(long long x){   \
      IN_MODE(double, MODE,                                                                                  \
              static_cast<double>(x))} SMCPU_MATH double __nv_ull2double_##SUFFIX(unsigned long long x) {    \
    IN_MODE(double, MODE, static_cast<double>(x))                                                            \
  }
ROUNDED(rd, FE_DOWNWARD)
ROUNDED(ru, FE_UPWARD)
ROUNDED(rz, FE_TOWARDZERO)
