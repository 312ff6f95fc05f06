#pragma once

#include "saccade/base.h"

/// The rows that are held at a bound, as a factored matrix: N = Q R, where column j of N is U'^-1 (side_j a_j), Q has
/// orthonormal columns and R is upper triangular. Rows are added at the end and dropped anywhere.
typedef struct sac_active
{
    int n, stride, most; ///< variables; doubles from a column of Q to the next; columns at most
    int count;
    int *rows;      ///< [most] of A
    int *sides;     ///< [most] 1 at the lower bound, -1 at the upper one
    double *q;      ///< [most, stride] columns of Q
    double *r;      ///< [most, most] columns of R
    double *u;      ///< [most] multipliers
    double *along;  ///< [most] Q'd of the last split
    double *change; ///< [most] R^-1 of it
} sac_active;

/// Split d into what the held columns span and the rest: z = d - Q Q'd; `along` and `change` are set.
/// @return z'z, 0 where the rest is nothing but rounding
double sac_active_split(sac_active *active, double *z, const double *d);

/// Add the column of the last split, whose rest is z.
void sac_active_add(sac_active *active, int row, int side, const double *z, double zz);

void sac_active_drop(sac_active *active, int index);

/// x = R^-1 x and x = R'^-1 x.
void sac_active_solve(const sac_active *active, double *x);
void sac_active_solve_transposed(const sac_active *active, double *x);
