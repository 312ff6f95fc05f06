#pragma once

#include <math.h>
#include <stdbool.h>

/// When a noisy curve has come to a target: where the mean of two consecutive evaluations reaches it. The first single
/// evaluation beyond it is luck as often as not: of many noisy ones before the target the best is taken.

typedef struct bench_crossing
{
    double target;
    double last; ///< the evaluation before; NaN: none yet
} bench_crossing;

static inline bench_crossing bench_crossing_of(double target)
{
    return (bench_crossing){target, NAN};
}

/// Take the next evaluation. @return whether the mean of it and the one before reaches the target
static inline bool bench_crosses(bench_crossing *c, double evaluation)
{
    double mean = 0.5 * (c->last + evaluation); // NaN, which reaches nothing, at the first
    c->last = evaluation;
    return mean >= c->target;
}
