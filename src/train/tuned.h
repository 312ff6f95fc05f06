#pragma once

#include "saccade/policy.h"

/// Which of a policy's parameters the search moves, and how far: all of them alike, or some tensors, each with a
/// factor. Tensors that are measured, a normaliser's, are never among them. The search's vector holds parameter /
/// factor, so that its one sigma fits tensors of unlike sensitivity.
typedef struct sac_tuned
{
    int count;     ///< of the search's vector
    int *index;    ///< [count] where each stands in the whole vector, rising; NULL: all, with factor 1
    float *factor; ///< [parameters]; 0: not moved
    float *rest;   ///< [parameters] the whole vector at the start; a normaliser's tensors follow its measurements
    int total;
} sac_tuned;

/// Choose tensors.
/// @param words  "all", or the beginnings of tensor names, separated by spaces, each with its factor after a colon
/// where
///               that is not 1: "lstm output:0.5"; the last that fits a tensor counts
/// @param start  [parameters], copied
/// @return SAC_ERROR_ARGUMENT for a word that fits no tensor or a factor that is none
SAC_CHECKED sac_status sac_tuned_create(sac_tuned *tuned, const sac_policy *policy, const char *words,
                                        const float *start);
void sac_tuned_clear(sac_tuned *tuned);

/// The search's vector of a whole one, in place: the first `count` of `parameters`.
void sac_tuned_gather(const sac_tuned *tuned, float *parameters);

/// The whole vector of the search's, in place.
void sac_tuned_scatter(const sac_tuned *tuned, float *parameters);
