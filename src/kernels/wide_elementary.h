#pragma once

#include "kernels/elementary.h"
#include "kernels/kernels.h"

/// The float kernels over `lanes`, vectors of 16 floats (base/lanes/lanes.h), whose header of a level the level file
/// includes first. Each function keeps the operations and the order of its namesake in scalar.c.

#define WIDE static inline __attribute__((always_inline))

// Loads one dimension of 16 tokens, or of the `left` last ones.
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
    // 2^t = 2^n 2^f with |f| <= 1/2. The value is doubled and n lowered by one, for 2^n of the largest n is no float.
    lanes n = lanes_round(t), p = exp2_polynomial(lanes_sub(t, n));
    return lanes_power(lanes_add(p, p), lanes_sub(n, lanes_set(1.0f)));
}

WIDE lanes wide_exp(lanes x)
{
    x = lanes_min(lanes_set(89.0f), lanes_max(lanes_set(-104.0f), x));
    lanes n = lanes_round(lanes_mul(x, lanes_set(SAC_LOG2_E)));
    // Cody and Waite: ln 2 is taken away in two parts, the first so short that its product with n is exact
    lanes r = lanes_fma(n, lanes_set(-SAC_LN2_HIGH), x);
    r = lanes_fma(n, lanes_set(-SAC_LN2_LOW), r);
    lanes p = lanes_fma(lanes_set(SAC_EXP_C6), r, lanes_set(SAC_EXP_C5));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C4));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C3));
    p = lanes_fma(p, r, lanes_set(SAC_EXP_C2));
    p = lanes_fma(p, r, lanes_set(1.0f));
    p = lanes_fma(p, r, lanes_set(1.0f));
    // The power is applied in two factors, because a subnormal result needs a power below the smallest normal one
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
    // Near zero 1 - 2 / (e^2x + 1) would cancel, so an odd polynomial stands in for it there.
    lanes y = lanes_mul(x, x), p = lanes_fma(lanes_set(SAC_TANH_C4), y, lanes_set(SAC_TANH_C3));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C2));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C1));
    p = lanes_fma(p, y, lanes_set(SAC_TANH_C0));
    lanes near_zero = lanes_fma(lanes_mul(magnitude, y), p, magnitude);
    lanes power = wide_exp(lanes_add(magnitude, magnitude));
    lanes far = lanes_sub(one, lanes_div(lanes_set(2.0f), lanes_add(power, one)));
    return lanes_copy_sign(lanes_choose(lanes_less(magnitude, lanes_set(SAC_TANH_LIMIT)), near_zero, far), x);
}
