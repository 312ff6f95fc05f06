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

/// Likewise, with room behind each slice's gradient for what it tells beside it, which is not added up.
/// @param beside  floats
SAC_CHECKED sac_status sac_slices_create_beside(sac_slices **out, sac_threads *threads, int slices, size_t parameters,
                                                size_t beside);

/// NULL is ignored.
void sac_slices_destroy(sac_slices *slices);

/// Run `work` on every slice; writes the sum of gradients. @return the sum of losses
double sac_slices_run(sac_slices *slices, float *gradient, int samples, sac_slice_work *work, void *user);

/// The first slice of a part, where parts of a minibatch belong to processes; that of part `parts` is the number of
/// slices.
int sac_slices_first(const sac_slices *slices, int part, int parts);

/// Run `work` on a part's slices alone. Their gradients lie one behind the other, [slices, parameters + beside], where
/// those of the other parts are to be put before sac_slices_add.
void sac_slices_run_part(sac_slices *slices, int samples, int part, int parts, sac_slice_work *work, void *user);
float *sac_slices_gradients(sac_slices *slices);

/// Write the sum of all slices' gradients.
void sac_slices_add(sac_slices *slices, float *gradient);
