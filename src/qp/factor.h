#pragma once

#include "saccade/base.h"

/// The upper Cholesky factor U of a positive definite matrix, P = U'U, and products with its inverse. All loops run
/// along rows of U, over numbers that do not depend on each other, or over eight sums side by side, so that compilers
/// vectorise them and every machine gives the same bits.

/// @param[out] u  [n, stride] its upper triangle
/// @param p       [n, n] of which the upper triangle is read
/// @return false where P is not positive definite or not finite
bool sac_factor(double *u, int stride, const double *p, int n);

/// x = U'^-1 x, where x is zero up to `first`.
void sac_factor_solve_transposed(double *x, const double *u, int stride, int n, int first);

/// x = U^-1 x
void sac_factor_solve(double *x, const double *u, int stride, int n);

/// x . y of n numbers.
double sac_factor_dot(const double *x, const double *y, int n);

/// y += scale x
void sac_factor_add(double *restrict y, const double *restrict x, double scale, int n);
