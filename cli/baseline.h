#pragma once

#include "saccade/env.h"
#include "saccade/train.h"

/// Baselines drive without a policy. Their returns show what a policy's return is worth.
typedef enum cli_baseline
{
    CLI_BASELINE_RANDOM, ///< actions uniform within the bounds, or any of the choices; a function of the episode's seed
    CLI_BASELINE_IDLE,   ///< the same action in every step: zeros (the nearest bound where zero lies outside), choice 0
} cli_baseline;

/// "random" or "idle", as in the flag and in the JSON.
const char *cli_baseline_name(cli_baseline baseline);

/// Drive episodes first..first+count-1 without a policy: the same bits for any number of threads.
/// @param threads        >= 1, each with a world of its own
/// @param[out] episodes  [count]
/// @return SAC_ERROR_ARGUMENT where a random action has no bounds
SAC_CHECKED sac_status cli_drive_baseline(cli_baseline baseline, const sac_env_def *env, uint64_t first, int count,
                                          int threads, sac_episode *episodes);
