#pragma once

#include <math.h>
#include <stdint.h>

/// Sine and cosine of a float, computed in double: the polynomials and the reduction that glibc took from Arm's
/// optimized routines, without contraction, so that the bits are the same on every machine.

/// Beyond this the plain reduction loses digits.
#define CAR_TRIG_PLAIN 120.0f

// Computes sine and cosine of the angle quarter * pi / 2 + x, where |x| <= pi / 4.
static inline void car_sin_cos_reduced(double x, uint32_t quarter, float *sine, float *cosine)
{
    double x2 = x * x, x3 = x * x2, x4 = x2 * x2;
    double s = x + x3 * -0x1.555545995a603p-3 + x3 * x2 * (0x1.1107605230bc4p-7 + x2 * -0x1.994eb3774cf24p-13);
    double c = 1.0 + x2 * -0x1.ffffffd0c621cp-2 + x4 * 0x1.55553e1068f19p-5 +
               x4 * x2 * (-0x1.6c087e89a359dp-10 + x2 * 0x1.99343027bf8c3p-16);
    double of_sine = quarter & 1 ? c : s, of_cosine = quarter & 1 ? s : c;
    *sine = (float)(quarter & 2 ? -of_sine : of_sine);
    *cosine = (float)((quarter + 1) & 2 ? -of_cosine : of_cosine);
}

/// |angle| < CAR_TRIG_PLAIN; free of branches.
static inline void car_sin_cos_plain(float angle, float *sine, float *cosine)
{
    // The number of quarter turns is rounded into the upper 8 of 32 bits.
    int32_t quarter = ((int32_t)((double)angle * 0x1.45F306DC9C883p+23) + 0x800000) >> 24;
    car_sin_cos_reduced((double)angle - quarter * 0x1.921FB54442D18p0, (uint32_t)quarter, sine, cosine);
}

/// Any angle up to a million.
static inline void car_sin_cos(float angle, float *sine, float *cosine)
{
    if (fabsf(angle) < CAR_TRIG_PLAIN)
    {
        car_sin_cos_plain(angle, sine, cosine);
        return;
    }
    // pi / 2 is subtracted in three parts, of which the first two are short enough for exact products (Cody and Waite).
    double turns = nearbyint((double)angle * 0x1.45F306DC9C883p-1);
    double x = (double)angle - turns * 0x1.921FB544p0 - turns * 0x1.0B4611A6p-34 - turns * 0x1.3198A2E037073p-69;
    car_sin_cos_reduced(x, (uint32_t)(int64_t)turns, sine, cosine);
}
