#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// The time of one look at a picture, from its pixels to the action, at growing resolution.

enum
{
    CLI_MAX_LOOKS = 12
};

typedef struct cli_look
{
    int patches;
    bool noisy;        ///< whether the picture has a camera's noise
    double seconds[2]; ///< of each policy, the best of several measurements in which the two take turns
} cli_look;

/// Time two policies that cut a picture alike: first with a picture that the first of them meets in the world, as it
/// is, then at their own number of patches and at two, four, ... times as many with that picture enlarged and with a
/// little noise. A drawn world has many patches that are equal to the bit, which softmax takes once; a camera has none.
/// Tensors that depend on the number of patches are drawn.
/// @param[out] looks  [CLI_MAX_LOOKS]
SAC_CHECKED sac_status cli_time_looks(const sac_policy *first, const sac_policy *second, const sac_env_def *env,
                                      cli_look *looks, int *count);

/// The same of two policies that take a cloud of points: `patches` are points, at the cloud's own number, at half and
/// a quarter of it and so on down to 4, and at two, four, ... times as many. What is seen first of an episode is
/// repeated, each point a millimetre aside at most.
SAC_CHECKED sac_status cli_time_clouds(const sac_policy *first, const sac_policy *second, const sac_env_def *env,
                                       cli_look *looks, int *count);
