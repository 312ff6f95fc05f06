#include "evolve/vector_loops.h"

/// These are loops that the compiler turns into vectors. This file is compiled once for each CPU level. Sums run in
/// eight lanes that are added in one order, so that all levels give the same bits.

enum
{
    LANES = 8,
    BLOCK = 512,
    ROWS = 4
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

static inline void add_rows(double *restrict first, double *restrict second, const double *restrict deviation,
                            const sac_weighted_row *rows, int count, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
    {
        double a = first[i], b = second[i];
        for (int k = 0; k < count; k++)
        {
            double y = rows[k].z[i] * deviation[i];
            a += rows[k].first * y;
            b += rows[k].second * y * y;
        }
        first[i] = a;
        second[i] = b;
    }
}

// A block of coordinates at a time stays in the cache while all rows pass, and for a few rows at a time the sums stay
// in registers.
void SAC_LEVEL_NAME(sac_vector_scaled_moments)(double *restrict first, double *restrict second,
                                               const double *restrict deviation, const sac_weighted_row *rows,
                                               int count, size_t n)
{
    for (size_t from = 0; from < n; from += BLOCK)
    {
        size_t to = from + BLOCK < n ? from + BLOCK : n;
        int k = 0;
        for (; k + ROWS <= count; k += ROWS) add_rows(first, second, deviation, rows + k, ROWS, from, to);
        for (; k < count; k++) add_rows(first, second, deviation, rows + k, 1, from, to);
    }
}
