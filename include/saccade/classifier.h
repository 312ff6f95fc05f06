#pragma once

#include "saccade/base.h"

/// This header declares nets that tell classes of pictures apart, as `saccade fit` leaves them in a run folder's
/// net.safetensors. A file holds all that is needed: the net, the pictures that it takes, and how they are normalised.

/// A net and the memory that it works in. One thread at a time may use it; threads of your own load one each.
typedef struct sac_classifier sac_classifier;

/// What a net takes and gives.
typedef struct sac_classifier_shape
{
    int rows, columns, channels; ///< of a picture, whose channels are 1..4
    int classes;                 ///< that it tells apart, 2..256
    size_t parameters;           ///< learned numbers
} sac_classifier_shape;

/// Load a net.
/// @param[out] out      released by sac_classifier_destroy; NULL on failure
/// @param      threads  1..1024, the caller's among them; more than one help where many pictures are given at once, and
///                      any number gives the same bits
/// @return SAC_ERROR_FILE; SAC_ERROR_FORMAT where the file is damaged, older than version 2 of the format, or no net;
///         SAC_ERROR_ARGUMENT where its task or `threads` cannot be; SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_classifier_load(sac_classifier **out, const char *path, int threads);

/// The same from memory; the bytes may be released afterwards.
/// @param where  names the source in errors
SAC_API SAC_CHECKED sac_status sac_classifier_read(sac_classifier **out, const void *bytes, size_t size,
                                                   const char *where, int threads);

/// NULL is ignored.
SAC_API void sac_classifier_destroy(sac_classifier *classifier);

SAC_API sac_classifier_shape sac_classifier_get_shape(const sac_classifier *classifier);

/// Classify pictures. Nothing allocates, and what a picture gives does not depend on those beside it.
/// @param      pictures       [count, rows, columns, channels], 0..255
/// @param      count          >= 0
/// @param[out] best           [count] the most probable class of each picture, the lower one of equals; NULL: not
/// wanted
/// @param[out] probabilities  [count, classes], each row of which sums to 1, or is no number where the net's outputs
///                            overflow; NULL: not wanted
SAC_API void sac_classifier_run(sac_classifier *classifier, const uint8_t *pictures, int count, int *best,
                                float *probabilities);
