#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/evolve.h"
#include "saccade/policy.h"
#include "saccade/rollout.h"
#include "saccade/run.h"

/// Training: the loop that joins a policy, an environment and a search, and sweeps over many such runs. Rollouts and
/// the files of a run have headers of their own, which this one includes.

typedef struct sac_train_def
{
    const sac_task *task;
    const char *run_dir;
    bool resume;          ///< go on with the run in the folder; SAC_ERROR_FILE where its checkpoints are gone
    bool any_cpu_level;   ///< resume even if the checkpoint was written at another CPU level
    int threads;          ///< >= 1, of this rank
    sac_comm *comm;       ///< NULL: this process alone; else every rank trains with the same def
    uint64_t generations; ///< in total; 0: the task's own
    void (*progress)(void *user, const sac_progress *progress); ///< on rank 0; may be NULL
    void *user;
    const volatile int *interrupt; ///< becomes nonzero to stop after a checkpoint; may be NULL
    double time_limit;             ///< seconds from the call after which the caller interrupts, for those who are told
                                   ///< what is left: it ends nothing by itself; 0: none
    uint64_t pause_generations;    ///< pause, with a checkpoint, once so many generations are done; 0: never
    uint64_t pause_steps;          ///< the same of environment steps
} sac_train_def;

/// Train until the generations are done, the search stops, the run is to pause, or an interrupt (then
/// SAC_ERROR_INTERRUPTED, after a checkpoint). A run that pauses before its first evaluation is evaluated there, as one
/// that ends is.
/// @return SAC_ERROR_ENVIRONMENT when no candidate of a generation has a return that is a number; then nothing can be
///         learned from it, and a resume continues from the checkpoint before; SAC_ERROR_DIVERGED when what learns is
///         not finite any more, after which the folder holds the checkpoint and the policies of the generations before
SAC_API SAC_CHECKED sac_status sac_train(const sac_train_def *def);

/// Successive halving (Jamieson and Talwalkar, 2016) in a sweep: all points are trained to the first rung, the best of
/// them to the next one, and so on. A point is judged by the median, over its seeds, of the best evaluation; equal ones
/// stand in the order of the sweep, and what is not a number comes last.
typedef struct sac_halving
{
    int reduction; ///< of N points N / reduction go on from a rung, rounded down, but at least one; each rung is so
                   ///< many times as far as the one before; >= 2; 0: every run is trained to its end
    uint64_t rung; ///< how far the first rung is, >= 1
    bool by_steps; ///< in environment steps; else in generations
} sac_halving;

/// What to sweep over: a file that names a task, fields of it with their values, and seeds. See docs/training.md.
typedef struct sac_sweep_def
{
    const char *path;     ///< of the sweep file
    const char *dir;      ///< a folder for all runs; what it holds already is not done again
    int threads;          ///< >= 1, of this rank
    sac_comm *comm;       ///< as in sac_train_def
    bool any_cpu_level;   ///< likewise
    uint64_t generations; ///< of each run; 0: the task's own
    /// Called on rank 0 before each run (progress NULL) and after each of its generations; may be NULL.
    void (*report)(void *user, int run, int run_count, const char *name, const sac_progress *progress);
    void *user;
    const volatile int *interrupt;
    sac_halving halving;
    /// Called on rank 0 once a rung has decided which points go on, in words; may be NULL.
    void (*decided)(void *user, const char *text);
} sac_sweep_def;

/// Train every run of a sweep that is not finished yet, one after the other, and write results.csv. A run that diverges
/// is `failed` there, and the next one follows. With `halving`, rungs.csv says what was judged at each rung, and runs
/// that did not go on are `pruned`.
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_FORMAT for a bad sweep file, before anything is trained; as sac_train
SAC_API SAC_CHECKED sac_status sac_sweep(const sac_sweep_def *def);
