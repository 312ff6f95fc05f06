#pragma once

#include "env/control/distraction/backdrop.h"
#include "env/control/world.h"

/// The Distracting Control Suite (Stone et al. 2021): the same physics and rewards, another look.
///
///     camera:LEVEL       the camera stands elsewhere, nearer or farther, rolled; it still looks at the same thing
///     color:LEVEL        each material has another colour
///     background:LEVEL   pictures in place of the sky, seen through the ground of some worlds
///
/// with LEVEL easy, medium or hard, joined by '+'; ":dynamic" at the end lets all of them move in every control step.
/// Every draw is a function of the episode's seed and the step, from numbers of its own: the states are those of the
/// plain world.

enum
{
    DISTRACTION_NORMALS = 8 ///< that a part may draw in a control step
};

typedef struct control_distraction control_distraction;

typedef struct distraction_def
{
    const char *variant;  ///< as above
    int camera;           ///< the one that is moved
    const char *pictures; ///< for the background, as sac_reels_acquire takes them
    bool plain;           ///< the world's pictures have neither shadows nor reflections
    int redraw;           ///< control steps after which everything is drawn anew; 0: at an episode's start alone
    /// Each draw scales all parts by a number that is drawn between these two, 0..1; 1 and 1: as the levels say
    double weakest, strongest;
} distraction_def;

/// @param[out] out  released by sac_distraction_destroy; NULL for "original" and on failure
/// @return SAC_ERROR_ARGUMENT for words that are unknown (with "did you mean"), and what sac_backdrop_create says
SAC_CHECKED sac_status sac_distraction_create(control_distraction **out, control_world *world,
                                              const distraction_def *def);

/// NULL is ignored.
void sac_distraction_destroy(control_distraction *distraction);

/// Start an episode, after the world's reset. NULL is ignored.
void sac_distraction_reset(control_distraction *distraction, control_world *world, uint64_t seed);

/// Move on, after the world's step. NULL is ignored.
void sac_distraction_step(control_distraction *distraction, control_world *world);

/// Everything that a reset or a step changes, after the world's own. NULL is ignored.
void sac_distraction_snapshot(control_distraction *distraction, control_world *world, sac_snapshot *snapshot);

/// What to show in place of the sky; NULL: the sky.
const control_backdrop *sac_distraction_backdrop(control_distraction *distraction);
