#include "saccade/theory.h"

#include <math.h>

// Compute |a x + b y|^2.
static double square(double a, const double *x, double b, const double *y, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
    {
        double z = a * x[i] + b * y[i];
        sum += z * z;
    }
    return sum;
}

static double dot(const double *x, const double *y, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * y[i];
    return sum;
}

// Exponents are added before exp is called once, so that nothing overflows unless the result does.

double sac_theory_mse_trig(const double *x, const double *y, int size, int m)
{
    double rho = -expm1(-square(1, x, -1, y, size));
    if (rho == 0) return 0;
    return exp(square(1, x, 1, y, size) - 2 * dot(x, y, size)) * rho * rho / (2.0 * m);
}

double sac_theory_mse_exp(const double *x, const double *y, int size, int m)
{
    double both = square(1, x, 1, y, size);
    return exp(both + 2 * dot(x, y, size)) * -expm1(-both) / m;
}

double sac_theory_angle(const double *x, const double *y, int size)
{
    double x_length = sqrt(square(1, x, 0, x, size)), y_length = sqrt(square(1, y, 0, y, size));
    if (x_length == 0 || y_length == 0) return acos(0);
    double apart = square(1 / x_length, x, -1 / y_length, y, size);
    double along = square(1 / x_length, x, 1 / y_length, y, size);
    return 2 * atan2(sqrt(apart), sqrt(along));
}

double sac_theory_mse_hybrid(const double *x, const double *y, int size, int m, int r)
{
    double trig = sac_theory_mse_trig(x, y, size, m), positive = sac_theory_mse_exp(x, y, size, m);
    double p = sac_theory_angle(x, y, size) / (2 * acos(0)), mixed = p * (1 - p);
    double lengths = square(1, x, 0, x, size) - square(1, y, 0, y, size);
    double half = sin(lengths / 2); // 1 - cos(lengths) = 2 sin^2(lengths / 2)
    double common = 2 * (1 - 1.0 / r) / m * exp(2 * dot(x, y, size)) * 2 * half * half;
    // A term with weight 0 is left out, because an infinite error times 0 would be NaN.
    double sum = mixed > 0 ? mixed * ((positive + trig) / r - common) : 0;
    if (p > 0) sum += p * p * positive;
    if (p < 1) sum += (1 - p) * (1 - p) * trig;
    return sum;
}

double sac_theory_deviation(double length, double angle, int m, double t)
{
    double square_length = length * length, cosine = cos(angle);
    return t / sqrt(m) * exp(square_length * (2 * cosine + 1)) * sqrt(-expm1(-2 * square_length * (1 + cosine)));
}
