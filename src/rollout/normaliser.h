#pragma once

#include "saccade/policy.h"

/// What a policy's observation normaliser is to know: the mean and the deviation, over all steps of all candidates so
/// far, of the numbers that the controller is told. Episodes are merged one after the other in a fixed order, so that
/// ranks and threads change no bit.

typedef struct sac_normaliser
{
    int size;        ///< F; 0: the policy has none
    double *numbers; ///< [1 + 2 F] steps, means, sums of squared deviations from them
    double *next;    ///< likewise, with what the generation under way adds
} sac_normaliser;

SAC_CHECKED sac_status sac_normaliser_create(sac_normaliser *normaliser, const sac_policy *policy);
void sac_normaliser_clear(sac_normaliser *normaliser);

/// Numbers of its state.
size_t sac_normaliser_count(const sac_normaliser *normaliser);

/// Begin a generation; add an episode's sums [2 F] to it; make it the normaliser.
void sac_normaliser_begin(sac_normaliser *normaliser);
void sac_normaliser_add(sac_normaliser *normaliser, int steps, const double *seen);
void sac_normaliser_commit(sac_normaliser *normaliser);

/// Write the normaliser's tensors into a whole vector of the policy; nothing before the first step.
void sac_normaliser_write(const sac_normaliser *normaliser, const sac_policy *policy, float *parameters);
