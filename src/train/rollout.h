#pragma once

#include "base/threads.h"
#include "saccade/train.h"

/// Rollouts: many (individual, episode) units over threads, several episodes in lockstep a thread.

/// One unit of work and what came of it.
typedef struct sac_unit
{
    int individual;
    uint64_t seed;         ///< of the episode
    double episode_return; ///< sum of rewards; NaN when an action or a reward was not a number
    int steps;
} sac_unit;

typedef struct sac_rollouts sac_rollouts;

/// @param policy  the architecture; must outlive the rollouts
/// @param lanes   episodes in lockstep a thread, >= 1
SAC_CHECKED sac_status sac_rollouts_create(sac_rollouts **out, const sac_policy *policy, const sac_env_def *env,
                                           int threads, int lanes);

/// NULL is ignored.
void sac_rollouts_destroy(sac_rollouts *rollouts);

/// What to run.
typedef struct sac_rollout_job
{
    sac_unit *units; ///< [unit_count]: individual and seed are read, the rest is written
    int unit_count;
    int patience; ///< an episode ends after more than so many negative rewards in a row; 0: never
    /// Writes an individual's parameters; called from several threads at once. NULL: the policy's own.
    void (*parameters)(const void *user, int individual, float *parameters);
    const void *user;
    const volatile int *interrupt; ///< nonzero: stop as soon as possible; NULL: never
} sac_rollout_job;

/// Run all units. Results depend on the unit alone, never on threads or lanes.
/// @return SAC_ERROR_INTERRUPTED, or the first failure of an environment
SAC_CHECKED sac_status sac_rollouts_run(sac_rollouts *rollouts, const sac_rollout_job *job);
