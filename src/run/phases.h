#pragma once

#include "rollout/rollout.h"
#include "saccade/run.h"

/// Where a run's time goes.

/// Seconds of each phase. The time of rollouts is divided as their threads divide theirs.
typedef struct sac_phases
{
    double seconds[SAC_PHASE_COUNT];
    double mark;             ///< when the last phase ended
    double acting, stepping; ///< of all threads, so far
} sac_phases;

/// What has passed since the last mark belongs to no phase.
void sac_phases_begin(sac_phases *phases);

/// What has passed since the last mark belongs to this one.
void sac_phases_end(sac_phases *phases, sac_phase phase);

/// The same for rollouts of training: agent and world.
void sac_phases_end_rollouts(sac_phases *phases, const sac_rollouts *rollouts);
