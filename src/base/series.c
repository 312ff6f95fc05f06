#include "base/series.h"

#include <math.h>

double sac_series_log(double x)
{
    // ln(m 2^e) = 2 atanh((m - 1) / (m + 1)) + e ln 2.
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) m *= 2, exponent--;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
    return 2 * s * sum + exponent * 0.69314718055994531;
}

double sac_series_exp(double x)
{
    // e^(k ln 2 + r), |r| <= ln 2 / 2. ln 2 is in two parts, the first with 32 bits, so that k times it is exact.
    if (!(x > -745.2)) return x != x ? x : 0;
    if (x > 709.8) return INFINITY;
    double k = floor(x * 1.4426950408889634 + 0.5);
    double r = x - k * 0.693147180369123816490 - k * 1.90821492927058770002e-10, sum = 1;
    for (int i = 14; i >= 1; i--) sum = 1 + sum * r / i;
    return ldexp(sum, (int)k);
}

void sac_series_sin_cos(double x, double *sine, double *cosine)
{
    // x = k pi / 2 + r, |r| <= pi / 4. pi / 2 is in three parts, the first two with 33 bits, so that k times them is
    // exact.
    double k = floor(x * 0.63661977236758134 + 0.5), s = 1, c = 1;
    double r = x - k * 1.57079632673412561417 - k * 6.07710050630396597660e-11 - k * 2.02226624879595063154e-21;
    for (int i = 9; i >= 1; i--)
    {
        s = 1 - s * r * r / ((2 * i) * (2 * i + 1));
        c = 1 - c * r * r / ((2 * i - 1) * (2 * i));
    }
    s *= r;
    // A quarter turn takes (sin, cos) to (cos, -sin).
    int quarter = (int)(k - 4 * floor(k / 4));
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}
