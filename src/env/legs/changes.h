#pragma once

#include "saccade/base.h"

/// What is different in a changed world, drawn anew in each episode. A variant is "original", "any", or some of the
/// words friction, mass, latency, camera and terrain joined by '+'.

typedef struct legs_variant
{
    bool friction, mass, latency, camera, terrain;
    bool any; ///< one of the five, or none, is drawn for each episode
} legs_variant;

/// @return SAC_ERROR_ARGUMENT for another word
SAC_CHECKED sac_status sac_legs_variant_read(legs_variant *variant, const char *text);

typedef struct legs_changes
{
    double friction;        ///< times as much
    double load;            ///< kg on the trunk
    double load_place[2];   ///< m from its middle, x and y
    double latency;         ///< s by which motors know joints late
    double camera_latency;  ///< s more by which pictures are late
    double camera_shift[3]; ///< m
    double camera_tilt[3];  ///< rad about its axes
    bool terrain;           ///< a course of shapes that are not met otherwise
} legs_changes;

/// @param mass  of the robot, kg
legs_changes sac_legs_changes_draw(const legs_variant *variant, uint64_t seed, double mass);
