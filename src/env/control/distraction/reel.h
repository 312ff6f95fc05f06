#pragma once

#include "saccade/base.h"

/// Videos to show behind a world: the user's own, or moving textures that are computed from a seed.
/// They are read once and shared by all worlds and threads.

enum
{
    REEL_SIDE = 256,   ///< pixels of a frame's side: frames are stretched to squares, as those of a sky's faces are
    REEL_FRAMES = 120, ///< that are read of a video
    REEL_LOOP = 100,   ///< frames of a moving texture
    REEL_SETS = 32     ///< sets of moving textures at once, at most: of sixty textures each they take 1 GB
};

/// One video: frames, or two textures that wander over one another. Texels have red in the lowest byte.
typedef struct control_reel
{
    uint32_t *frames; ///< [count, REEL_SIDE, REEL_SIDE]; NULL: layers
    uint32_t *layers; ///< [2, REEL_SIDE, REEL_SIDE], both periodic
    int drift[2][2];  ///< rows and columns that each layer moves in a frame
    int count;
} control_reel;

typedef struct control_reels
{
    control_reel *reels; ///< [room], of which `count` are there
    int count, room;
    char *pictures;
    int wanted, users;
    struct control_reels *next;
} control_reels;

/// DAVIS 2017's sixty training videos, NULL at the end.
extern const char *const sac_davis_names[];

/// Read the first `wanted` videos in the order of their names. Of a folder that holds all training videos of DAVIS 2017
/// these alone are taken, as the distracting suite does.
/// @param      pictures  "procedural", or "procedural:N" for other moving textures (N = 0 is "procedural"), or
///                       "procedural:N-M" for those of all sets from N to M, `wanted` of each; a folder of folders of
///                       images, of video files, or of images; or a video file
/// @param[out] out       released by sac_reels_release; NULL on failure
/// @return SAC_ERROR_ARGUMENT for an N or M that is no whole number from 0 on, for M below N and for more than
/// REEL_SETS sets; SAC_ERROR_FILE, SAC_ERROR_FORMAT, or SAC_ERROR_UNAVAILABLE for files that need FFmpeg
SAC_CHECKED sac_status sac_reels_acquire(control_reels **out, const char *pictures, int wanted);

/// NULL is ignored.
void sac_reels_release(control_reels *reels);

/// The texels of frame `index`, [REEL_SIDE, REEL_SIDE]: the reel's own, or `scratch` filled with them.
const uint32_t *sac_reel_show(const control_reel *reel, int index, uint32_t *scratch);

/// The moving texture `index` of the set `set`.
SAC_CHECKED sac_status sac_reel_draw(control_reel *reel, int set, int index);
