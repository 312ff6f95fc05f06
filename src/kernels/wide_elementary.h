#pragma once

#include "kernels/elementary.h"
#include "kernels/kernels.h"

/// The float kernels over `lanes`, a vector of 16 floats that each level file defines with its intrinsics. Included by
/// the level files alone, after these are defined:
///
///     lanes_load, lanes_load_integers, lanes_store, lanes_set; lanes_load_part and lanes_store_part for the first
///     `count` of 16, the rest read as zero; lanes_add, _sub, _mul, _div, _max, _min (the second operand when either is
///     NaN), _fma (a b + c); lanes_sqrt; lanes_round (to the nearest integer, ties to even); lanes_power (p 2^n for an
///     integer n in -126..127); lanes_raise (p 2^n for n + SAC_MAGIC); lanes_abs; lanes_negate; lanes_copy_sign;
///     lanes_less (a < b ? x : y); lanes_equal (a == b ? x : y); lanes_quarter (see sac_sin_cos); lanes_greater (a > b
///     as 16 bits); lanes_first (zero from `count` on); lanes_sum, lanes_largest (over the 16; the sum as scalar.c's
///     tree)
///
/// Each function keeps the operations and the order of its namesake in scalar.c.

#define WIDE static inline __attribute__((always_inline))

// one dimension of 16 tokens, or of the `left` last ones
WIDE lanes load_tokens(const float *x, int left)
{
    return lanes_load_part(x, left < SAC_LANES ? left : SAC_LANES);
}

WIDE void store_tokens(float *out, lanes value, int left)
{
    lanes_store_part(out, value, left < SAC_LANES ? left : SAC_LANES);
}

WIDE lanes exp2_polynomial(lanes f)
{
    lanes p = lanes_fma(lanes_set(SAC_EXP2_C5), f, lanes_set(SAC_EXP2_C4));
    p = lanes_fma(p, f, lanes_set(SAC_EXP2_C3));
    p = lanes_fma(p, f, lanes_set(SAC_EXP2_C2));
    p = lanes_fma(p, f, lanes_set(SAC_EXP2_C1));
    return lanes_fma(p, f, lanes_set(1.0f));
}

WIDE lanes wide_exp2(lanes t)
{
    t = lanes_min(lanes_set(SAC_EXP2_MAX), lanes_max(lanes_set(SAC_EXP2_MIN), t));
    lanes n = lanes_round(t), p = exp2_polynomial(lanes_sub(t, n));
    return lanes_power(lanes_add(p, p), lanes_sub(n, lanes_set(1.0f)));
}

WIDE lanes wide_exp(lanes x)
{
    x = lanes_min(lanes_set(89.0f), lanes_max(lanes_set(-104.0f), x));
    lanes n = lanes_round(lanes_mul(x, lanes_set(SAC_LOG2_E)));
    lanes r = lanes_fma(n, lanes_set(-SAC_LN2_HIGH), x);
    r = lanes_fma(n, lanes_set(-SAC_LN2_LOW), r);
    lanes p = lanes_fma(lanes_set(SAC_EXP_C6), r, lanes_set(SAC_EXP_C5));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C4));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C3));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C2));
    p = lanes_fma(p, r, lanes_set(1.0f));
    p = lanes_fma(p, r, lanes_set(1.0f));
    lanes half = lanes_round(lanes_mul(n, lanes_set(0.5f)));
    return lanes_power(lanes_power(p, half), lanes_sub(n, half));
}

WIDE lanes wide_sigmoid(lanes x)
{
    lanes one = lanes_set(1.0f);
    return lanes_div(one, lanes_add(one, wide_exp(lanes_negate(x))));
}

WIDE lanes wide_tanh(lanes x)
{
    lanes magnitude = lanes_abs(x), one = lanes_set(1.0f);
    lanes y = lanes_mul(x, x), p = lanes_fma(lanes_set(SAC_TANH_C4), y, lanes_set(SAC_TANH_C3));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C2));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C1));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C0));
    lanes near_zero = lanes_fma(lanes_mul(magnitude, y), p, magnitude);
    lanes power = wide_exp(lanes_add(magnitude, magnitude));
    lanes far = lanes_sub(one, lanes_div(lanes_set(2.0f), lanes_add(power, one)));
    return lanes_copy_sign(lanes_less(magnitude, lanes_set(SAC_TANH_LIMIT), near_zero, far), x);
}
