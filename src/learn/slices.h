#pragma once

#include "base/threads.h"
#include "learn/learn.h"

/// A minibatch over threads, with the same bits for any number of them: it is cut into a fixed number of slices, each
/// slice has a gradient of its own, and these are added in the order of slices.

typedef struct sac_slices sac_slices;

/// One slice: samples first..first+count-1, maybe none.
typedef struct sac_slice
{
    int index;  ///< of the slice
    int thread; ///< that runs it: names a workspace
    int first, count;
} sac_slice;

/// Add the slice's gradient to `gradient` [parameters], zeros at first. @return its part of the loss
typedef double sac_slice_work(void *user, const sac_learn *l, const sac_slice *slice, float *gradient);

/// @param threads     outlives the slices
/// @param slices      >= 1; memory grows with slices * parameters
/// Errors: memory.
SAC_CHECKED sac_status sac_slices_create(sac_slices **out, sac_threads *threads, int slices, size_t parameters);

/// NULL is ignored.
void sac_slices_destroy(sac_slices *slices);

/// Run `work` on every slice; writes the sum of gradients. @return the sum of losses
double sac_slices_run(sac_slices *slices, float *gradient, int samples, sac_slice_work *work, void *user);
