#pragma once

#include <stddef.h>

#include "saccade/base.h"

/// Symmetric eigendecomposition C = V^T diag(d^2) V by LAPACK. All memory is taken at creation.

typedef struct sac_eigen
{
    int n;
    double *work; ///< LAPACK's
    int *iwork;
    int work_size, iwork_size;
} sac_eigen;

/// This takes about 2 n^2 doubles.
sac_status sac_eigen_create(sac_eigen *eigen, int n);
void sac_eigen_destroy(sac_eigen *eigen);

/// Decompose. An eigenvalue below 1e-15 of the largest is a rounding error. Then all eigenvalues are raised until the
/// least has that size, and the diagonal of C with them.
/// @param      covariance  [n, n], the lower triangle is read
/// @param[out] vectors     [n, n], V: one eigenvector a row
/// @param[out] roots       [n], d > 0, rising
sac_status sac_eigen_decompose(sac_eigen *eigen, double *covariance, double *vectors, double *roots);
