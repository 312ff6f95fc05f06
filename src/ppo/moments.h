#pragma once

/// Running mean and deviation of one number.

typedef struct sac_moments
{
    double count, mean, squares; ///< squares: summed squared deviations from the mean
} sac_moments;

/// Merge a part: how many, their sum, and the sum of their squares (Chan, Golub and LeVeque 1983).
void sac_moments_add(sac_moments *moments, double count, double sum, double squares);

/// 1 before there are two numbers.
double sac_moments_deviation(const sac_moments *moments);
