#pragma once

#include "saccade/env.h"
#include "saccade/train.h"

/// Drive episodes first..first+count-1 with actions drawn at random, a function of the episode's seed: what a return
/// is worth.
/// @param[out] episodes  [count]
/// @return SAC_ERROR_ARGUMENT where an action has no bounds
SAC_CHECKED sac_status cli_drive_random(const sac_env_def *env, uint64_t first, int count, sac_episode *episodes);
