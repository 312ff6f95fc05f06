#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// The time of one look at a picture, from its pixels to the action, at growing resolution.

enum
{
    CLI_MAX_LOOKS = 8
};

typedef struct cli_look
{
    int patches;
    double seconds[2]; ///< of each policy, the best of several looks
} cli_look;

/// Time two policies that cut a picture alike, at their own number of patches and at two, four, ... times as many. The
/// picture is one that the first policy meets in the world, enlarged. Tensors that depend on the number of patches are
/// drawn.
/// @param[out] looks  [CLI_MAX_LOOKS]
SAC_CHECKED sac_status cli_time_looks(const sac_policy *first, const sac_policy *second, const sac_env_def *env,
                                      cli_look *looks, int *count);
