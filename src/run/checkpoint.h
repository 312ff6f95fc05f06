#pragma once

#include "saccade/evolve.h"

/// Everything that a run needs to go on to the bit, in one file a checkpoint. Holds nothing of clocks, hosts or
/// threads, so that the same run writes the same bytes anywhere.

/// The part of a run's state that is not the search's.
typedef struct sac_run_state
{
    uint64_t generation;    ///< finished
    uint64_t steps;         ///< environment steps of training
    double fitness_average; ///< moving average of the population's mean fitness
    int stage;              ///< stages that have begun
    double best_evaluation; ///< -infinity: none yet
    double best, mean, std; ///< of the last generation's fitness
    int attempt;            ///< fresh starts so far
    uint64_t attempt_start; ///< generations finished when the last of them was made
    bool pending;           ///< its evaluation and its journal row are still to be done
    double *filter;         ///< [filter_count] sac_filter's numbers
    int filter_count;
    double *average; ///< [dimension] running average of the mean
    int dimension;
} sac_run_state;

/// Write checkpoints/NNNNNNNN.safetensors and remove all but the last two.
SAC_CHECKED sac_status sac_checkpoint_write(const char *run_dir, sac_search *search, const sac_run_state *state);

/// The bytes of the newest checkpoint that is whole. Newer ones, which are damaged, get names that end in ".damaged",
/// so that they are not among the last two.
/// @param[out] bytes  released by sac_free; NULL when there is none: start from the beginning
SAC_CHECKED sac_status sac_checkpoint_load(const char *run_dir, uint8_t **bytes, size_t *size);

/// Read a checkpoint into `search` and `state`.
/// @param any_cpu_level  accept one that was written at another CPU level
SAC_CHECKED sac_status sac_checkpoint_restore(const uint8_t *bytes, size_t size, sac_search *search,
                                              sac_run_state *state, bool any_cpu_level);
