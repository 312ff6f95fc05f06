#pragma once

#include <stddef.h>

/// Sums over vectors run in a fixed order of eight lanes. So they are as fast as the compiler's vectors are wide, and
/// they have the same bits everywhere.

/// a . b
double sac_vector_dot(const double *a, const double *b, size_t n);

/// y <- keep y + factor x
void sac_vector_mix(double *y, double keep, double factor, const double *x, size_t n);

/// y <- y + factor x
void sac_vector_add(double *y, double factor, const double *x, size_t n);

/// out <- sum_k weights[k] rows[k], for rows [count, n]; weights of zero cost nothing.
void sac_vector_combine(double *out, const double *weights, const double *rows, int count, size_t n);

/// x <- mean + sigma deviation z, by coordinate, rounded to float.
void sac_vector_sample(float *x, const double *mean, double sigma, const double *deviation, const double *z, size_t n);

/// first <- first + weight_first y, second <- second + weight_second y^2, by coordinate.
void sac_vector_moments(double *first, double *second, double weight_first, double weight_second, const double *y,
                        size_t n);

/// One vector and its weights in the two sums.
typedef struct sac_weighted_row
{
    const double *z;
    double first, second;
} sac_weighted_row;

/// The same for y = deviation z of several rows, in their order.
void sac_vector_scaled_moments(double *first, double *second, const double *deviation, const sac_weighted_row *rows,
                               int count, size_t n);
