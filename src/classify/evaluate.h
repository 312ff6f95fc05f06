#pragma once

#include "classify/trained.h"
#include "nets/pass.h"

/// How well a net tells the pictures of a set apart: one loop for `saccade fit` and `saccade classify`, so that both
/// say the same to the bit.

/// What a net gives over test pictures.
typedef struct sac_classify_score
{
    size_t parameters;
    double loss, accuracy;
    int pictures, classes;
    int *confusion; ///< [classes, classes]: pictures of the row's class that were taken for the column's; sac_free
} sac_classify_score;

/// What an evaluation works with. Its sums depend on the pass's slices and on `batch`, not on the number of threads.
typedef struct sac_classify_test
{
    const sac_image_set *set;
    const sac_image_view *view;
    int count; ///< of the set's pictures, the first ones
    int batch; ///< pictures of a minibatch, at most those of the pass
    sac_threads *threads;
    sac_net_pass *pass; ///< over the same threads
    const float *parameters, *measured;
    int *labels; ///< [batch], to work in
} sac_classify_test;

/// Check that the test part of a set fits a net.
/// @return SAC_ERROR_FORMAT with the folder
SAC_CHECKED sac_status sac_classify_check_set(const sac_image_set *test, sac_net_shape input, int classes,
                                              const char *folder);

/// The pictures of a set that a task uses.
int sac_classify_count(const sac_classify_task *task, const sac_image_set *set);

/// Evaluate.
/// @param[in,out] score  its classes and its confusion table are the caller's; loss, accuracy, pictures and what the
///                       table holds are filled in
void sac_classify_evaluate(sac_classify_score *score, const sac_classify_test *test);

/// Write the confusion table as confusion.csv into a run folder, atomically.
SAC_CHECKED sac_status sac_classify_save_confusion(const sac_classify_score *score, const char *run_dir);

/// Evaluate a net over the test part of its task's data set.
/// @param[out] score    its confusion table is released by sac_free; zeros after a failure
/// @param      threads  >= 1
/// @return SAC_ERROR_FORMAT where the set does not fit the net, or where the loss is no number
SAC_CHECKED sac_status sac_trained_net_evaluate(sac_classify_score *score, const sac_trained_net *net, int threads);
