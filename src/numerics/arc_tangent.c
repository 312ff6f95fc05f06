#include "numerics/arc_tangent.h"

#include <math.h>
#include <stdbool.h>

double sac_arc_tangent(double y, double x)
{
    // atan of t = smaller / larger: from pi / 8 on it is pi / 4 - atan((1 - t) / (1 + t)). Half the angle, atan(t / (1
    // + sqrt(1 + t^2))), is at most pi / 16, and the first term that is left out, s^23 / 23, is 2e-17 of it at most.
    const double pi = 3.14159265358979312;
    const double across = fabs(x), up = fabs(y), small = across < up ? across : up, large = across < up ? up : across;
    if (!isfinite(small) || !isfinite(large)) return NAN;
    if (large == 0) return 0;
    const bool folded = small > 0.41421356237309503 * large;
    const double t = folded ? (large - small) / (large + small) : small / large;
    const double half = t / (1 + sqrt(1 + t * t)), square = half * half;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = 1.0 / k - sum * square;
    double angle = 2 * half * sum;
    if (folded) angle = pi / 4 - angle;
    if (up > across) angle = pi / 2 - angle;
    if (x < 0) angle = pi - angle;
    return y < 0 ? -angle : angle;
}
