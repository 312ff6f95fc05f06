#include "evolve/vector_loops.h"

/// Loops that the compiler turns into vectors. This file is compiled once a CPU level; sums run in eight lanes that are
/// added in one order, so that all levels give the same bits.

enum
{
    LANES = 8
};

double SAC_LEVEL_NAME(sac_vector_dot)(const double *a, const double *b, size_t n)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++) lanes[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i + j < n; j++) lanes[j] += a[i + j] * b[i + j];
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

void SAC_LEVEL_NAME(sac_vector_mix)(double *restrict y, double keep, double factor, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = keep * y[i] + factor * x[i];
}

void SAC_LEVEL_NAME(sac_vector_sample)(float *restrict x, const double *restrict mean, double sigma,
                                       const double *restrict deviation, const double *restrict z, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)(mean[i] + sigma * deviation[i] * z[i]);
}

void SAC_LEVEL_NAME(sac_vector_moments)(double *restrict first, double *restrict second, double weight_first,
                                        double weight_second, const double *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        first[i] += weight_first * y[i];
        second[i] += weight_second * y[i] * y[i];
    }
}

void SAC_LEVEL_NAME(sac_vector_scaled_moments)(double *restrict first, double *restrict second, double weight_first,
                                               double weight_second, const double *restrict deviation,
                                               const double *restrict z, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        double y = z[i] * deviation[i];
        first[i] += weight_first * y;
        second[i] += weight_second * y * y;
    }
}
