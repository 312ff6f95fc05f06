#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// Rollouts: policies drive episodes of environments, over the threads of one process or of many.
///
/// The unit of work is one (individual, episode); the threads of all ranks take units from one queue, several episodes
/// in lockstep a thread, so that the batch forms of an environment are used. Results are a function of the unit alone
/// and are summed in order: any number of ranks and threads gives the same bits.

/// Seeds below this are for evaluation only; training draws its episodes from above.
#define SAC_TRAINING_SEED_FIRST UINT64_C(1000000)

/// Seeds below this are for reporting what is done; a run chooses its best vector by others (evaluation.first_seed).
#define SAC_REPORTING_SEEDS UINT64_C(100)

/// One finished episode.
typedef struct sac_episode
{
    uint64_t seed;
    double episode_return; ///< sum of rewards; NaN when a reward was not a number
    int steps;
} sac_episode;

/// Mean and spread of returns.
typedef struct sac_score
{
    double mean;
    double std; ///< with n - 1; 0 for one episode
    int episodes;
} sac_score;

SAC_API sac_score sac_score_of(const sac_episode *episodes, int count);

/// Drive one policy over episodes with seeds first..first+count-1, by the environment's own rules.
/// @param[out] episodes  [count]
/// @param      threads   >= 1
SAC_API SAC_CHECKED sac_status sac_evaluate(const sac_policy *policy, const sac_env_def *env, uint64_t first_seed,
                                            int count, int threads, sac_episode *episodes);

/// What to drive over which episodes.
typedef struct sac_evaluation_def
{
    const sac_policy *policy;
    const sac_env_def *env;
    const uint64_t *seeds; ///< [count] in any order, also twice the same; none is SAC_SEED_NEXT
    int count;             ///< >= 1
    int threads;           ///< >= 1
    /// NULL or a flag that ends the evaluation when it is not 0; it is read before every step.
    const volatile int *interrupt;
    /// NULL or [count, column_count of the environment's spec]: takes the values of the environment's columns after the
    /// last step of each episode, in the order of the seeds, which sac_count_of counts; undefined after a failure.
    double *ends;
} sac_evaluation_def;

/// Drive a policy over a list of episodes, by the environment's own rules.
/// @param[out] episodes  [count], in the order of the seeds; undefined after a failure
/// @return SAC_ERROR_INTERRUPTED when the flag ended it
SAC_API SAC_CHECKED sac_status sac_evaluate_seeds(const sac_evaluation_def *def, sac_episode *episodes);

/// What a column of an environment comes to over episodes: SAC_COLUMN_FLAG: in how many of them it was set;
/// SAC_COLUMN_COUNT: the sum of their counts.
/// @param spec    of the environment that the episodes were driven in
/// @param column  0..column_count-1
/// @param ends    [count, column_count], see sac_evaluation_def
/// @return 0 for a column of another type
SAC_API double sac_count_of(const sac_env_spec *spec, int column, const double *ends, int count);

/// The ranks of a run: processes, maybe on many machines, that mpirun or srun has started from one command line.
typedef struct sac_comm sac_comm;

/// Join the ranks that the launcher has announced; without a launcher, this process alone. Once a process, from the
/// thread that will train.
/// @param[out] out  released by sac_comm_close; NULL on failure
/// @return SAC_ERROR_UNAVAILABLE when there are other ranks but no MPI to reach them
SAC_API SAC_CHECKED sac_status sac_comm_open(sac_comm **out);

/// Leave. NULL is ignored.
/// @param status  a failure that the others may not know of yet ends them too, with this thread's last error
SAC_API void sac_comm_close(sac_comm *comm, sac_status status);

SAC_API int sac_comm_rank(const sac_comm *comm); ///< 0..size-1; rank 0 alone writes and reports
SAC_API int sac_comm_size(const sac_comm *comm);
