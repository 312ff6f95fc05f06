#include "evolve/vector.h"

#include <string.h>

enum
{
    LANES = 8
};

double sac_vector_dot(const double *a, const double *b, size_t n)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++) lanes[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i + j < n; j++) lanes[j] += a[i + j] * b[i + j];
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

void sac_vector_add(double *restrict y, double factor, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

void sac_vector_combine(double *out, const double *weights, const double *rows, int count, size_t n)
{
    memset(out, 0, n * sizeof *out);
    for (int k = 0; k < count; k++)
        if (weights[k] != 0) sac_vector_add(out, weights[k], rows + (size_t)k * n, n);
}
