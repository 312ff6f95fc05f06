#pragma once

#include "env/rooms/view.h"

/// What is different in a changed world, drawn anew in each episode. A variant is "original", "any", or some of the
/// words furniture, doors, noise, camera and plan joined by '+'.

enum
{
    ROOMS_FURNITURE, ///< twice as much of it
    ROOMS_DOORS,     ///< narrower ones
    ROOMS_NOISE,     ///< in depth
    ROOMS_CAMERA,    ///< another place and another direction
    ROOMS_PLAN,      ///< walls and furniture of sizes that are not met otherwise
    ROOMS_WORDS
};

typedef struct rooms_variant
{
    bool words[ROOMS_WORDS];
    bool any; ///< one of the words, or none, is drawn for each episode
} rooms_variant;

/// @return SAC_ERROR_ARGUMENT for another word
SAC_CHECKED sac_status sac_rooms_variant_read(rooms_variant *variant, const char *text);

typedef struct rooms_changes
{
    bool furniture, doors, plan;
    double noise; ///< standard deviation of depth, in shares of it
    rooms_camera camera;
} rooms_changes;

rooms_changes sac_rooms_changes_draw(const rooms_variant *variant, uint64_t seed);
