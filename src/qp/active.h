#pragma once

#include "qp/loops.h"

/// The rows that are held at a bound, as a factored matrix: N = Q R, where column j of N is U'^-1 (side_j a_j), Q has
/// orthonormal columns, which lie one after the other, and R is upper triangular. Rows are added at the end and dropped
/// anywhere. Right of its columns R is zero, and so is the inverse of its diagonal beyond them. R's inverse S is kept
/// beside it: when a row is added its new column is at hand, and when one is dropped it is made anew.
typedef struct sac_active
{
    const sac_qp_loops *loops;
    int n, stride;      ///< variables; doubles from a column of Q to the next
    int most, r_stride; ///< columns at most; doubles from a row of R to the next
    int count;
    int inverted;    ///< columns of S that loops->invert has made; later ones came with their rows
    int *rows;       ///< [most] of A
    int *sides;      ///< [most] 1 at the lower bound, -1 at the upper one
    double *q;       ///< [most, stride] columns of Q
    double *r;       ///< [most, r_stride] rows of R
    double *s;       ///< [most, r_stride] rows of its inverse
    double *inverse; ///< [r_stride] of its diagonal
    double *u;       ///< [r_stride] multipliers
    double *along;   ///< [r_stride] Q'd of the last split
    double *change;  ///< [r_stride] R^-1 of it
    double *again;   ///< [r_stride] scratch
    double *before;  ///< [stride] likewise
} sac_active;

/// Split d into what the held columns span and the rest: z = d - Q Q'd; `along` and `change` are set.
/// @param from  d is zero before
/// @return z'z, 0 where the rest is nothing but rounding
double sac_active_split(sac_active *active, double *z, const double *d, int from);

/// Add the column of the last split, whose rest is z.
void sac_active_add(sac_active *active, int row, int side, const double *z, double zz);

void sac_active_drop(sac_active *active, int index);

/// Drop all.
void sac_active_clear(sac_active *active);

/// The multipliers of the held rows: with b in `u`, w = R'^-1 b goes to `along` and R^-1 w to `u`.
void sac_active_settle(sac_active *active);
