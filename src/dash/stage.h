#pragma once

#include "files/atomic.h"
#include "files/growing.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// A stage runs a run's agent on unseen episodes and shows, a frame at a time, what it sees and where it looks.

typedef struct sac_stage
{
    char path[SAC_PATH_SIZE]; ///< of the policy file
    int64_t stamp;            ///< time of the file that is on stage; 0: none
    sac_policy *policy;
    sac_policy_info info;
    sac_policy_state *state;
    sac_env *env;
    uint8_t *observation;
    float *action;
    double reward, episode_return;
    uint8_t terminated, truncated;
    uint64_t seed;
    int steps;
    sac_env_row row;
} sac_stage;

/// @param name  of the policy file in the run folder
/// @return SAC_ERROR_ARGUMENT for a path that cannot be one; the stage is closed then
SAC_CHECKED sac_status sac_stage_open(sac_stage *stage, const char *run_dir, const char *name);
void sac_stage_close(sac_stage *stage);

/// Begin the episode of stage->seed with the newest agent.
/// @param[out] there  false when there is none yet
SAC_CHECKED sac_status sac_stage_begin(sac_stage *stage, bool *there);

/// Take a step. After the end of an episode, begin the episode of the next seed.
SAC_CHECKED sac_status sac_stage_step(sac_stage *stage, bool *there);

/// Write the frame as a JSON object: the picture (base64 of PNG), the level of every patch as bytes (base64) with the
/// share of the best twentieth (see sac_heat_levels), the patches that are kept, step, return and action.
void sac_stage_tell(sac_stage *stage, sac_growing *text);
