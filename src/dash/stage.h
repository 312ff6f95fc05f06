#pragma once

#include "files/atomic.h"
#include "files/growing.h"
#include "play/play.h"

/// A run's agent on unseen episodes: what it sees and where it looks, a frame at a time.

typedef struct sac_stage
{
    char path[SAC_PATH_SIZE]; ///< of the policy file
    int64_t stamp;            ///< of the file that is on stage; 0: none
    sac_policy *policy;
    sac_policy_info info;
    sac_play play;
    uint64_t seed;
} sac_stage;

/// @param name  of the policy file in the run folder
/// @return SAC_ERROR_ARGUMENT for a path that is none; the stage is closed then
SAC_CHECKED sac_status sac_stage_open(sac_stage *stage, const char *run_dir, const char *name);
void sac_stage_close(sac_stage *stage);

/// Begin the episode of stage->seed with the newest agent.
/// @param[out] there  false when there is none yet
SAC_CHECKED sac_status sac_stage_begin(sac_stage *stage, bool *there);

/// Take a step; after an end, begin the next seed's episode.
SAC_CHECKED sac_status sac_stage_step(sac_stage *stage, bool *there);

/// The frame as a JSON object: the picture (base64 of PNG), the level of every patch as bytes (base64) with the share
/// of the best twentieth, see sac_heat_levels, the patches that are kept, step, return, action.
void sac_stage_tell(sac_stage *stage, sac_growing *text);
