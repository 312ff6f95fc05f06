#pragma once

#include "saccade/base.h"

/// Dense convex quadratic programs of a controller's size, a few to a few hundred variables:
///
///     minimise  1/2 x'P x + q'x    subject to    lower <= A x <= upper
///
/// P is symmetric and positive definite. The method is the dual active set method of Goldfarb and Idnani (1983): it
/// begins at the minimum over the rows that it holds, and adds the row that is violated most until none is. It holds no
/// row (a cold start) or those that were active at the end of the last problem (a warm start). Either way the minimum
/// is found up to rounding, not up to a tolerance of an iteration.
///
/// A solver takes its memory when it is made, and none when it solves. It belongs to one thread at a time. Numbers are
/// doubles, and the bits are the same on every machine.

typedef struct sac_qp sac_qp;

/// A problem. All arrays belong to the caller.
typedef struct sac_qp_problem
{
    int variables, rows;
    const double *p;             ///< [variables, variables], of which only the upper triangle is read
    const double *q;             ///< [variables]
    const double *a;             ///< [rows, variables]
    const double *lower, *upper; ///< [rows]; -INFINITY or INFINITY: no bound; equal ones: an equation
    /// [rows] the columns of each row outside of which it is zero, from `first` up to, not including, `end`. NULL: all
    /// columns. With short rows a step costs less.
    const int *first, *end;
} sac_qp_problem;

typedef enum sac_qp_outcome
{
    SAC_QP_SOLVED,     ///< x meets all bounds, to 1e-10 of the largest product in a row's sum, and 1e-13
    SAC_QP_INFEASIBLE, ///< no x meets all bounds: a sum of rows says so, in which all columns cancel to 1e-10 of their
                       ///< terms, whatever P is
    SAC_QP_UNSUITABLE, ///< P is not positive definite, or a number is not finite, or lower > upper, or a row's columns
                       ///< are none of the problem's, or numbers are so far apart that rounding leaves a row outside
                       ///< of its bounds, hides whether the rows can be met, or makes the cost overflow
    SAC_QP_OUT_OF_STEPS, ///< more steps than 10 (variables + rows), which only rounding can cause
} sac_qp_outcome;

/// What became of a problem.
typedef struct sac_qp_solution
{
    sac_qp_outcome outcome;
    double cost; ///< 1/2 x'P x + q'x
    int steps;   ///< rows that were added and dropped
    int active;  ///< rows at a bound
} sac_qp_solution;

/// Make a solver for problems up to a size. Beside small arrays it takes 8 (2 n^2 + n k + 2 k^2) bytes for n
/// variables and k rows or variables, whichever are fewer.
/// @return SAC_ERROR_ARGUMENT for sizes below 1 or above 4096, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_qp_create(sac_qp **out, int variables, int rows);
SAC_API void sac_qp_destroy(sac_qp *qp);

/// Solve a problem no larger than the solver. A cold start costs variables^3 / 3 multiplications and additions for the
/// Cholesky factor of P and its inverse. Each step costs variables^2 / 2, twice the variables times the rows that are
/// held, where rounding matters four times, and one pass over A.
/// @param[out] x            [variables]; zeros unless the outcome is SAC_QP_SOLVED
/// @param[out] multipliers  [rows] positive at a lower bound, negative at an upper one: P x + q = A' multipliers; may
///                          be NULL
/// @param warm  begin with the rows that the last solved problem ended with, as far as this problem has them and their
///              multipliers have the right signs. The factor of P is computed anew.
SAC_API sac_qp_solution sac_qp_solve(sac_qp *qp, double *x, double *multipliers, const sac_qp_problem *problem,
                                     bool warm);

/// Bytes of what a warm start begins with, and copying it out and in: a solver that is restored solves the next problem
/// with the very bits of the one that was saved. Both must have been made for the same size.
SAC_API size_t sac_qp_state_size(const sac_qp *qp);
SAC_API void sac_qp_save(const sac_qp *qp, void *state);
SAC_API void sac_qp_restore(sac_qp *qp, const void *state);
