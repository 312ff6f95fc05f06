#pragma once

#include "env/control/distraction/reel.h"
#include "saccade/render.h"

/// Painting a sky behind a picture: a cube around the eye, z up, whose six faces all show one frame.

typedef struct sky_picture
{
    const sac_render_view *view;
    int height, width;
    const uint32_t *texels; ///< [REEL_SIDE, REEL_SIDE], red in the lowest byte
    const int32_t *ids;     ///< [height, width]; negative: the sky is there
    int ground;             ///< id of what lets the sky through; -1: nothing does
    int through;            ///< 0..256: how much of it
    int keep;               ///< 0..256: how much of the ground's own colour stays
    uint8_t *rgb;           ///< [height, width, 3]
} sky_picture;

/// Once a CPU level, all with the same bits.
typedef void sky_fn(const sky_picture *picture);

sky_fn sac_sky_scalar, sac_sky_neon, sac_sky_avx2, sac_sky_avx512;
