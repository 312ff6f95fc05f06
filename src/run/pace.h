#pragma once

#include "saccade/base.h"

/// How long a run still takes: the one estimate that everyone shows. It is the mean time of the newest generations, a
/// whole number of evaluation periods of them, so that each evaluation is spread over its period; it is measured anew
/// after a stage has changed what a generation costs, and by each process for itself.

typedef struct sac_pace
{
    bool started;
    uint64_t from, next; ///< the generations at which the present and the next measurement begin
    double from_seconds, next_seconds;
    double each; ///< seconds of a generation, as estimated last; 0: not yet
} sac_pace;

/// Measure anew, because generations cost another time from the next one on.
void sac_pace_change(sac_pace *pace);

/// Seconds to go after a generation; NaN where nothing was measured yet: the first generation of a process says little.
/// @param every    generations between evaluations; 0: there are none
/// @param seconds  of training so far
double sac_pace_left(sac_pace *pace, uint64_t generation, uint64_t generations, uint64_t every, double seconds);
