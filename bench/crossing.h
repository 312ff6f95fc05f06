#pragma once

#include <math.h>
#include <stdbool.h>

/// This says when a noisy curve has reached a target: when the mean of two consecutive evaluations is at or above it. A
/// first single evaluation above the target is often luck, because it is the best of many noisy ones.

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
    double mean = 0.5 * (c->last + evaluation); // NaN at the first evaluation, which reaches no target
    c->last = evaluation;
    return mean >= c->target;
}
