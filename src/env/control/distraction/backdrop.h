#pragma once

#include "base/random.h"
#include "env/control/distraction/reel.h"
#include "env/control/world.h"

/// Pictures in place of the sky: each of the sky's six faces shows the frame, as in the original. Static: one frame of
/// one video until the next draw; dynamic: that video from there, forth and back. The ground of some worlds lets it
/// through.

typedef struct control_backdrop control_backdrop;

/// @param[out] out       released by sac_backdrop_destroy; NULL on failure
/// @param      world     its ground becomes as opaque as its task says
/// @param      pictures  as sac_reels_acquire takes them; `videos` of them
/// @param      plain     pictures have neither shadows nor reflections
SAC_CHECKED sac_status sac_backdrop_create(control_backdrop **out, control_world *world, const char *pictures,
                                           int videos, bool dynamic, bool plain);

/// NULL is ignored, here and below.
void sac_backdrop_destroy(control_backdrop *backdrop);

/// Draw a frame.
/// @param strength  0..1: how far its colours are from a middle grey; 1: as they are
void sac_backdrop_draw(control_backdrop *backdrop, double strength, sac_stream *stream);
void sac_backdrop_step(control_backdrop *backdrop);

/// Which frame is shown, and how strongly. NULL is ignored.
void sac_backdrop_snapshot(control_backdrop *backdrop, sac_snapshot *snapshot);

/// Make the present frame ready for painting.
void sac_backdrop_show(control_backdrop *backdrop);

/// Fill in what is behind a picture that was drawn with a black sky.
/// @param ids  [height, width]: of the geom at each pixel, -1 where there is none
/// @param rgb  [height, width, 3]
void sac_backdrop_paint(const control_backdrop *backdrop, const sac_render_view *view, int height, int width,
                        const int32_t *ids, uint8_t *rgb);
