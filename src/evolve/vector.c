#include "evolve/vector.h"

#include <string.h>

#include "base/level.h"
#include "evolve/vector_loops.h"

double sac_vector_dot(const double *a, const double *b, size_t n)
{
    return SAC_AT_LEVEL(sac_vector_dot)(a, b, n);
}

void sac_vector_mix(double *y, double keep, double factor, const double *x, size_t n)
{
    SAC_AT_LEVEL(sac_vector_mix)(y, keep, factor, x, n);
}

void sac_vector_sample(float *x, const double *mean, double sigma, const double *deviation, const double *z, size_t n)
{
    SAC_AT_LEVEL(sac_vector_sample)(x, mean, sigma, deviation, z, n);
}

void sac_vector_moments(double *first, double *second, double weight_first, double weight_second, const double *y,
                        size_t n)
{
    SAC_AT_LEVEL(sac_vector_moments)(first, second, weight_first, weight_second, y, n);
}

void sac_vector_scaled_moments(double *first, double *second, const double *deviation, const sac_weighted_row *rows,
                               int count, size_t n)
{
    SAC_AT_LEVEL(sac_vector_scaled_moments)(first, second, deviation, rows, count, n);
}

void sac_vector_add(double *y, double factor, const double *x, size_t n)
{
    sac_vector_mix(y, 1, factor, x, n);
}

void sac_vector_combine(double *out, const double *weights, const double *rows, int count, size_t n)
{
    memset(out, 0, n * sizeof *out);
    for (int k = 0; k < count; k++)
        if (weights[k] != 0) sac_vector_add(out, weights[k], rows + (size_t)k * n, n);
}
