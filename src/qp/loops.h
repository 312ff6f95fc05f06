#pragma once

#include "saccade/base.h"

/// The inner loops of the solver, compiled once for each CPU level, with the same bits on all: sums run in eight lanes
/// that are added in one order.
///
/// Loops take eight columns of four rows at a time. So rows lie `stride` apart, a multiple of eight, and a matrix of n
/// rows and columns has SAC_QP_ROOM(n) of each, and a vector SAC_QP_ROOM(n) numbers. A triangular matrix is upper: left
/// of its diagonal and right of column n it is zero. What is beyond n in vectors and rows is finite, and zero where a
/// comment says so.

enum
{
    SAC_QP_LANES = 8,
    SAC_QP_ROWS = 4, // at a time
    SAC_QP_SHORT = 4 // columns of a short row of A at most
};

#define SAC_QP_ROOM(n) (((n) + SAC_QP_LANES - 1) / SAC_QP_LANES * SAC_QP_LANES)

/// Rows of A that are zero but in a few columns.
typedef struct sac_qp_short_rows
{
    int count;
    double *values;              ///< [count, SAC_QP_SHORT]
    int *first;                  ///< [count] their columns; SAC_QP_SHORT numbers from there on are in the room of x
    const double *lower, *upper; ///< [count] bounds
} sac_qp_short_rows;

typedef struct sac_qp_loops
{
    /// The upper Cholesky factor U of a positive definite matrix, P = U'U.
    /// @param[out] u        [n, stride]
    /// @param[out] inverse  [n] of the diagonal; zero beyond n
    /// @param p  [n, n] of which the upper triangle is read
    /// @return false where P is not positive definite or not finite
    bool (*factor)(double *u, double *inverse, int stride, const double *p, int n);
    /// T = U^-1, by the inverse of U's diagonal, which is zero beyond n
    /// @param from  T's columns before this one are there already
    void (*invert)(double *t, const double *u, const double *inverse, int stride, int from, int n);
    /// out = T x, where x is zero beyond n
    void (*multiply)(double *out, const double *t, int stride, const double *x, int n);
    /// out = T'x, where x is zero outside of `first` up to, not including, `end`, and is not read there
    void (*multiply_transposed)(double *out, const double *t, int stride, const double *x, int first, int end, int n);
    /// |U x|^2, where x is zero beyond n
    double (*square)(const double *u, int stride, const double *x, int n);
    /// z = d - Q Q'd for orthonormal rows of `q`, and `along` = Q'd. All vectors are zero beyond n.
    /// @param again, before  [count], [n] scratch
    /// @param from           d is zero before
    /// @return z'z, 0 where the rest is nothing but rounding
    double (*split)(double *z, double *along, double *again, double *before, const double *q, int stride, int count,
                    const double *d, int from, int n);
    /// y += scale x
    void (*add)(double *y, const double *x, double scale, int n);
    /// Turn two vectors: x = c x + s y, y = c y - s x.
    void (*turn)(double *x, double *y, double c, double s, int n);
    /// By how much x is outside of each row's bounds; negative: inside.
    void (*violations)(double *out, const sac_qp_short_rows *rows, const double *x);
} sac_qp_loops;

extern const sac_qp_loops sac_qp_loops_scalar, sac_qp_loops_neon, sac_qp_loops_avx2, sac_qp_loops_avx512;
