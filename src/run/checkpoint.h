#pragma once

#include "files/arrays/safetensors.h"

/// Everything that a run needs to go on to the bit, in one file a checkpoint. Holds nothing of clocks, hosts or
/// threads, so that the same run writes the same bytes anywhere.

/// One array of what a learner keeps.
typedef struct sac_kept_array
{
    const char *name;
    sac_dtype dtype;
    void *data;
    size_t count; ///< numbers; 0: it is left out
} sac_kept_array;

enum
{
    SAC_MAX_KEPT_ARRAYS = 32
};

/// What a learner keeps in a run's checkpoints: named arrays, which are its whole state.
typedef struct sac_kept
{
    void *self;
    const char *section; ///< stands before the names in the file, such as "search"
    /// List the arrays. @return how many, SAC_MAX_KEPT_ARRAYS at most; at most `capacity` are written
    int (*arrays)(void *self, sac_kept_array *arrays, int capacity);
    const char *shape;                  ///< the array that decides the sizes of the others; NULL: none
    sac_status (*reshape)(void *self);  ///< called when it alone has been read
    sac_status (*restored)(void *self); ///< called when all have been read: checks them and derives the rest
} sac_kept;

/// The part of a run's state that is not the learner's.
typedef struct sac_run_state
{
    uint64_t generation;    ///< finished
    uint64_t steps;         ///< environment steps of training
    double fitness_average; ///< moving average of `mean` over generations
    int stage;              ///< stages that have begun
    double best_evaluation; ///< -infinity: none yet
    double best, mean, std; ///< best, mean and standard deviation of the last generation's returns
    int attempt;            ///< fresh starts so far
    uint64_t attempt_start; ///< generations finished when the last of them was made
    bool pending;           ///< its evaluation and its journal row are still to be done
    double *normaliser;     ///< [normaliser_count] sac_normaliser's numbers
    int normaliser_count;
    double *average; ///< [dimension] running average of the trained vector; of evolution, of the search's mean vector
    int dimension;
} sac_run_state;

/// Write checkpoints/NNNNNNNN.safetensors and remove all but the last two.
SAC_CHECKED sac_status sac_checkpoint_write(const char *run_dir, const sac_kept *kept, const sac_run_state *state);

/// The bytes of the newest checkpoint that is whole. Newer ones, which are damaged, get names that end in ".damaged",
/// so that they are not among the last two.
/// @param[out] bytes  released by sac_free; NULL when there is none: start from the beginning. Rows of metrics.csv that
///                    this replaces are said in a warning
/// @return SAC_ERROR_FILE when a run that has had checkpoints has none; SAC_ERROR_FORMAT when none is whole
SAC_CHECKED sac_status sac_checkpoint_load(const char *run_dir, uint8_t **bytes, size_t *size);

/// The generation of the newest checkpoint of a run; 0: there is none.
uint64_t sac_checkpoint_newest(const char *run_dir);

/// Read a checkpoint into what a learner keeps and `state`.
/// @param any_cpu_level  accept one that was written at another CPU level
SAC_CHECKED sac_status sac_checkpoint_restore(const uint8_t *bytes, size_t size, const sac_kept *kept,
                                              sac_run_state *state, bool any_cpu_level);
