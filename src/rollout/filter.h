#pragma once

#include "saccade/policy.h"

/// What a policy's filter is to know: the mean and the deviation, over all steps of all candidates so far, of the
/// numbers that the controller is told. Episodes are merged one after the other in a fixed order, so that ranks and
/// threads change no bit.

typedef struct sac_filter
{
    int size;        ///< F; 0: the policy has none
    double *numbers; ///< [1 + 2 F] steps, means, sums of squared deviations from them
    double *next;    ///< likewise, with what the generation under way adds
} sac_filter;

SAC_CHECKED sac_status sac_filter_create(sac_filter *filter, const sac_policy *policy);
void sac_filter_clear(sac_filter *filter);

/// Numbers of its state.
size_t sac_filter_count(const sac_filter *filter);

/// Begin a generation; add an episode's sums [2 F] to it; make it the filter.
void sac_filter_begin(sac_filter *filter);
void sac_filter_add(sac_filter *filter, int steps, const double *seen);
void sac_filter_commit(sac_filter *filter);

/// Write the filter's tensors into a whole vector of the policy; nothing before the first step.
void sac_filter_write(const sac_filter *filter, const sac_policy *policy, float *parameters);
