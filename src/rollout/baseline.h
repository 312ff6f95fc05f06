#pragma once

#include "base/random.h"
#include "rollout/rollout.h"

/// Baselines drive without a policy. Their returns show what a policy's return is worth.
typedef enum sac_baseline
{
    SAC_BASELINE_RANDOM, ///< actions uniform within the bounds, or any of the choices; a function of the episode's seed
    SAC_BASELINE_IDLE,   ///< the same action in every step: zeros (the nearest bound where zero lies outside), choice 0
} sac_baseline;

/// The stream from which an episode's random actions are drawn.
sac_stream sac_baseline_stream(uint64_t seed);

/// Decide one step.
/// @param stream  of the episode; the idle baseline draws nothing
/// @return SAC_ERROR_ARGUMENT where a random action has no bounds
SAC_CHECKED sac_status sac_baseline_decide(sac_baseline baseline, const sac_play *play, sac_stream *stream);

/// Drive episodes first..first+count-1 without a policy: the same bits for any number of threads.
/// @param threads        >= 1
/// @param[out] episodes  [count]
/// @param[out] ends      NULL: not wanted; else as of sac_evaluation_def
SAC_CHECKED sac_status sac_baseline_drive(sac_baseline baseline, const sac_env_def *env, uint64_t first, int count,
                                          int threads, sac_episode *episodes, double *ends);
