#pragma once

#include "saccade/base.h"

/// The inner loops of the solver, compiled once for each CPU level, with the same bits on all: sums run in eight lanes
/// that are added in one order.
///
/// A triangular matrix is upper and lies row by row; rows are `stride` apart. Loops take eight columns of four rows at
/// a time, and so they read up to 11 numbers beyond the last one: of a matrix of n rows, n rounded up to whole fours
/// must be there, and SAC_QP_ROOM(n) columns of each; right of column n they are zero, and beside the rows beyond n
/// stands an `inverse` of zero. Vectors have SAC_QP_ROOM(n) numbers, too, whose last ones are finite and of no meaning,
/// unless a comment says that they are zero.

enum
{
    SAC_QP_LANES = 8,
    SAC_QP_ROWS = 4 // at a time
};

#define SAC_QP_ROOM(n) (((n) + SAC_QP_LANES - 1) / SAC_QP_LANES * SAC_QP_LANES + SAC_QP_LANES)

typedef struct sac_qp_loops
{
    /// The upper Cholesky factor U of a positive definite matrix, P = U'U.
    /// @param[out] u        [n, stride]
    /// @param[out] inverse  [n] of the diagonal
    /// @param p  [n, n] of which the upper triangle is read
    /// @return false where P is not positive definite or not finite
    bool (*factor)(double *u, double *inverse, int stride, const double *p, int n);
    /// x = U^-1 x, where x is zero beyond n and stays so
    void (*solve)(double *x, const double *u, const double *inverse, int stride, int n);
    /// x = U'^-1 x, where x is zero up to `first`
    void (*solve_transposed)(double *x, const double *u, const double *inverse, int stride, int n, int first);
    /// |U x|^2, where x is zero beyond n
    double (*square)(const double *u, int stride, const double *x, int n);
    /// z = d - Q Q'd for orthonormal rows of `q`, and `along` = Q'd. All vectors are zero beyond n.
    /// @param again  [count] scratch
    /// @return z'z, 0 where the rest is nothing but rounding
    double (*split)(double *z, double *along, double *again, const double *q, int stride, int count, const double *d,
                    int n);
    /// y += scale x
    void (*add)(double *y, const double *x, double scale, int n);
    /// Turn two vectors: x = c x + s y, y = c y - s x.
    void (*turn)(double *x, double *y, double c, double s, int n);
} sac_qp_loops;

extern const sac_qp_loops sac_qp_loops_scalar, sac_qp_loops_neon, sac_qp_loops_avx2, sac_qp_loops_avx512;
