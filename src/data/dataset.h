#pragma once

#include "saccade/learn.h"

/// Frames and what a teacher did, the newest ones: where there are more than it holds, the oldest go first. Frames are
/// numbered in the order in which they come, from 0 on, and frame i lies in row i modulo the capacity; so an episode is
/// a run of rows, but for one that goes on at the beginning.
typedef struct sac_dataset sac_dataset;

typedef struct sac_dataset_def
{
    const sac_space *parts; ///< [part_count] what a frame has; read by create alone
    int part_count;         ///< SAC_MAX_PARTS at most
    int action;             ///< floats
    int costs;              ///< floats: what each choice costs; 0: that is not kept
    int capacity;           ///< frames
    size_t memory;          ///< bytes of frames up to which they lie in memory, otherwise in a nameless file
    const char *beside;     ///< a path in whose folder that file lies
} sac_dataset_def;

SAC_CHECKED sac_status sac_dataset_create(sac_dataset **out, const sac_dataset_def *def);

/// NULL is ignored.
void sac_dataset_destroy(sac_dataset *dataset);

/// The number that the next frame gets.
int64_t sac_dataset_next(const sac_dataset *dataset);

/// Forget all; the next frame gets this number.
void sac_dataset_restart(sac_dataset *dataset, int64_t next);

/// Make room for an episode. @return the number of its first frame
int64_t sac_dataset_add(sac_dataset *dataset, int64_t frames);

/// Write frames of an episode that was added, in any order. Those that are too old to be kept are left out.
/// @param first    number of the first of them
/// @param begins   the episode begins with it
/// @param parts    [part_count], each [count, bytes of the part]
/// @param actions  [count, floats of an action]
/// @param costs    [count, choices]; ignored where they are not kept
void sac_dataset_put(sac_dataset *dataset, int64_t first, int count, bool begins, const uint8_t *const *parts,
                     const float *actions, const float *costs);

/// What is kept, as examples whose parts are those of the def; valid until the next episode is added.
sac_examples sac_dataset_examples(sac_dataset *dataset);
