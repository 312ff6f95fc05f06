#pragma once

#include "files/atomic.h"
#include "files/growing.h"
#include "play/play.h"

/// A player plays a run's agent on unseen episodes and shows, a frame at a time, what it sees and where it looks.

typedef struct sac_player
{
    char path[SAC_PATH_SIZE]; ///< of the policy file
    int64_t stamp;            ///< time of the file that is played; 0: none
    sac_policy *policy;
    sac_policy_info info;
    sac_play play;
    uint64_t seed;
} sac_player;

/// @param name  of the policy file in the run folder
/// @return SAC_ERROR_ARGUMENT for a path that cannot be one; the player is closed then
SAC_CHECKED sac_status sac_player_open(sac_player *player, const char *run_dir, const char *name);
void sac_player_close(sac_player *player);

/// Begin the episode of player->seed with the newest agent.
/// @param[out] there  false when there is none yet
SAC_CHECKED sac_status sac_player_begin(sac_player *player, bool *there);

/// Take a step. After the end of an episode, begin the episode of the next seed.
SAC_CHECKED sac_status sac_player_step(sac_player *player, bool *there);

/// Write the frame as a JSON object: the picture (base64 of PNG), the level of every patch as bytes (base64) with the
/// share of the best twentieth (see sac_heat_levels), the patches that are kept, step, return and action.
void sac_player_tell(sac_player *player, sac_growing *text);
