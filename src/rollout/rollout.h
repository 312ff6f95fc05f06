#pragma once

#include "base/threads.h"
#include "play/play.h"
#include "rollout/comm.h"

/// Rollouts: many (individual, episode) units over the threads of all ranks, several episodes in lockstep a thread.

typedef struct sac_rollouts sac_rollouts;

/// @param policy  the architecture; must outlive the rollouts
/// @param comm    likewise
/// @param lanes   episodes in lockstep a thread, >= 1
SAC_CHECKED sac_status sac_rollouts_create(sac_rollouts **out, const sac_policy *policy, const sac_env_def *env,
                                           sac_comm *comm, int threads, int lanes);

/// Who takes part in rollouts, and where.
typedef struct sac_rollouts_def
{
    const sac_policy *policy;  ///< as above; NULL: who watches decides
    const sac_policy *adviser; ///< says at each step what it would do (sac_play.advice); must outlive the rollouts
    const sac_env_def *env;
    uint32_t parts; ///< bit i: the world's part i is observed besides
    sac_comm *comm;
    int threads, lanes;
} sac_rollouts_def;

/// The same with an adviser and with other parts that are observed.
SAC_CHECKED sac_status sac_rollouts_create_def(sac_rollouts **out, const sac_rollouts_def *def);

/// NULL is ignored.
void sac_rollouts_destroy(sac_rollouts *rollouts);

/// Seconds that this process's threads have spent on acting and on stepping, all jobs together.
void sac_rollouts_times(const sac_rollouts *rollouts, double *acting, double *stepping);

/// Someone who watches every step of every unit. The functions are called by the thread that runs the unit: those of
/// one unit in the order of time, those of different units at once. A failure ends the rollouts.
typedef struct sac_rollout_watch
{
    /// The action is decided and not yet taken: the parts, the action and the advice are in the play, and the action
    /// may be changed. @param unit  its index in the job
    sac_status (*decided)(void *user, int unit, const sac_play *play);
    /// The step is taken: reward and ends are in the play. @param last  the episode goes no further
    sac_status (*stepped)(void *user, int unit, const sac_play *play, bool last);
    void *user;
} sac_rollout_watch;

/// What to run.
typedef struct sac_rollout_job
{
    sac_unit *units; ///< [unit_count]: individual and seed are read, the rest is written
    int unit_count;
    /// [unit_count, 2 F] sums, then sums of squares, of what the policy's normaliser is told in each step; NULL: not
    /// wanted
    double *seen;
    /// [unit_count, column_count] values of the world's columns after each unit's last step, where it is run by this
    /// process: with ranks, the others' are left as they are; NULL: not wanted
    double *ends;
    int steps;    ///< an episode ends after so many steps; 0: at its own end
    int patience; ///< an episode ends after more than so many negative rewards in a row; 0: never
    /// Writes an individual's parameters; called from several threads at once. NULL: the policy's own.
    void (*parameters)(const void *user, int individual, float *parameters);
    const void *user;
    const sac_rollout_watch *watch; ///< NULL: nobody
    uint64_t fingerprint;           ///< of what the parameters come from: ranks that differ are found out
    const volatile int *interrupt;  ///< nonzero: stop as soon as possible; NULL: never
} sac_rollout_job;

/// Run all units, on every rank that calls this with the same job; afterwards every rank has all results. They depend
/// on the unit alone, never on ranks, threads or lanes.
/// @return SAC_ERROR_INTERRUPTED, or the first failure of an environment
SAC_CHECKED sac_status sac_rollouts_run(sac_rollouts *rollouts, const sac_rollout_job *job);
