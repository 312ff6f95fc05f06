#pragma once

#include "base/threads.h"
#include "rollout/comm.h"

/// Rollouts: many (individual, episode) units over the threads of all ranks, several episodes in lockstep a thread.

typedef struct sac_rollouts sac_rollouts;

/// @param policy  the architecture; must outlive the rollouts
/// @param comm    likewise
/// @param lanes   episodes in lockstep a thread, >= 1
SAC_CHECKED sac_status sac_rollouts_create(sac_rollouts **out, const sac_policy *policy, const sac_env_def *env,
                                           sac_comm *comm, int threads, int lanes);

/// NULL is ignored.
void sac_rollouts_destroy(sac_rollouts *rollouts);

/// Seconds that this process's threads have spent on acting and on stepping, all jobs together.
void sac_rollouts_times(const sac_rollouts *rollouts, double *acting, double *stepping);

/// What to run.
typedef struct sac_rollout_job
{
    sac_unit *units; ///< [unit_count]: individual and seed are read, the rest is written
    int unit_count;
    /// [unit_count, 2 F] sums, then sums of squares, of what the policy's filter is told in each step; NULL: not wanted
    double *seen;
    int steps;    ///< an episode ends after so many steps; 0: at its own end
    int patience; ///< an episode ends after more than so many negative rewards in a row; 0: never
    /// Writes an individual's parameters; called from several threads at once. NULL: the policy's own.
    void (*parameters)(const void *user, int individual, float *parameters);
    const void *user;
    uint64_t fingerprint;          ///< of what the parameters come from: ranks that differ are found out
    const volatile int *interrupt; ///< nonzero: stop as soon as possible; NULL: never
} sac_rollout_job;

/// Run all units, on every rank that calls this with the same job; afterwards every rank has all results. They depend
/// on the unit alone, never on ranks, threads or lanes.
/// @return SAC_ERROR_INTERRUPTED, or the first failure of an environment
SAC_CHECKED sac_status sac_rollouts_run(sac_rollouts *rollouts, const sac_rollout_job *job);
