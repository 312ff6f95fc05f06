#pragma once

#include "saccade/show.h"
#include "target.h"

/// What `saccade watch` shows: an environment with a policy, or without one.
typedef struct watch_plan
{
    cli_target target;
    const char *path;                                             ///< of the policy, NULL: none
    const char *video, *folder, *histogram, *patches, *attention; ///< what is written; NULL: not wanted
    uint64_t seed;
    int steps;                     ///< at most so many
    const volatile int *interrupt; ///< a film ends where this becomes nonzero
    int frames_per_second;
    int width, height; ///< of a frame
} watch_plan;

/// "car-racing, color, seed 3".
void watch_title(const watch_plan *watch, char *title, size_t size);

/// Play in a window until it is closed.
sac_status watch_live(watch_plan *watch);
