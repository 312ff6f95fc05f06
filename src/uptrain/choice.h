#pragma once

#include "kernels/kernels.h"
#include "saccade/base.h"

/// How much the choice of K patches by some scores differs from that by other scores. The k-th choice is a softmax over
/// the patches that are left when the k - 1 best of the target are gone, of scores in units of their standard
/// deviation; the loss is the mean over choices of the Kullback-Leibler divergence from the target's. It is 0 where the
/// scores are alike up to their unit and a constant, neither of which changes what is kept.
typedef struct sac_choice
{
    int count, kept;         ///< N, K
    float *scores, *shares;  ///< [N] of what learns: standardised, and how much of it is chosen, all choices together
    float *targets, *wanted; ///< [N] the same of the target
    int *top;                ///< [K] the target's best
} sac_choice;

/// @param kept  0: it is not used
SAC_CHECKED sac_status sac_choice_create(sac_choice *choice, int count, int kept);
void sac_choice_destroy(sac_choice *choice);

/// @param[out] dscores  [N] the gradient
/// @return share * loss
double sac_choice_loss(sac_choice *choice, const sac_kernels *kernels, float *dscores, const float *scores,
                       const float *targets, double share);
