#pragma once

#include "saccade/base.h"

/// Random scenes of the experiments, from fixed seeds, and statistics of the results.

/// The Euclidean length of x [size].
double theory_length(const double *x, int size);

/// Draw x and y [size] of these lengths and at this angle, in a random plane; size >= 2. A seed and an index name a
/// pair.
void theory_pair(double *x, double *y, int size, double x_length, double y_length, double angle, uint64_t seed,
                 uint64_t index);

/// Draw `count` random directions [count, size] of length `length`.
void theory_sphere(double *out, int count, int size, double length, uint64_t seed, uint64_t index);

/// Draw `count` Gaussian tokens [count, size].
void theory_gaussian(double *out, int count, int size, uint64_t seed, uint64_t index);

/// Find the indices of the `kept` largest scores, largest first; of equal scores the lower index comes first.
void theory_top(int *top, int kept, const double *scores, int count);

/// Mean, variance and standard error of numbers that come one by one. Starts as {0}.
typedef struct theory_moments
{
    double mean, squares; ///< squares: the sum of squared differences from the mean
    long count;
} theory_moments;

void theory_add(theory_moments *moments, double value);
double theory_variance(const theory_moments *moments);

/// Compute the standard error of the mean.
double theory_error(const theory_moments *moments);

/// Compute the most failures in `draws` that a rate of `p` explains: the mean plus three standard deviations.
int theory_most_failures(int draws, double p);
