#pragma once

#include "classify/evaluate.h"
#include "saccade/rollout.h"

/// Training a net on pictures with labels, in a run folder: task.yaml, metrics.csv, checkpoints/, net.safetensors and
/// confusion.csv, and what told.h lists for those who watch. A run that was killed goes on from its last checkpoint
/// with the same bits, and any number of threads and of ranks gives the same bits.

/// What one epoch gave, or the end of a run.
typedef struct sac_classify_progress
{
    uint64_t epoch, steps; ///< finished
    double seconds, rate;  ///< of training, resumed parts included; the rate of the last step
    double loss, accuracy; ///< of training, as the pictures were seen
    bool evaluated;
    double test_loss, test_accuracy;
} sac_classify_progress;

typedef struct sac_classify_def
{
    const sac_classify_task *task;
    const char *run_dir;
    int threads;
    sac_comm *comm; ///< of the ranks that train together; NULL: this process alone
    bool resume, any_cpu_level;
    bool profile;                  ///< take the time of nodes
    const volatile int *interrupt; ///< nonzero: end with a checkpoint; NULL: never
    double time_limit;             ///< seconds after which it will be nonzero, for those who watch; 0: none is known
    void (*report)(void *user, const sac_classify_progress *progress); ///< after each epoch, on rank 0; NULL: none
    void *user;
} sac_classify_def;

/// What a finished run gave over the test pictures, on rank 0.
typedef struct sac_classify_result
{
    sac_classify_score score;          ///< its confusion table is released by sac_free
    sac_net_time times[SAC_NET_KINDS]; ///< where that was asked for
    int time_count;
} sac_classify_result;

/// Train, or go on, until the task's epochs are done.
/// @param[out] result  zeros after a failure
/// @return SAC_ERROR_INTERRUPTED with a checkpoint written; SAC_ERROR_DIVERGED where a loss or a number of the net is
/// not
///         finite
SAC_CHECKED sac_status sac_classify_fit(sac_classify_result *result, const sac_classify_def *def);
