#pragma once

#include "files/growing.h"

/// The robot and what it stands in as a model of MuJoCo. Names that the rest relies on: the body "saccade-robot" with
/// the joints "saccade-x", "saccade-y" and "saccade-turn" and the geom "saccade-robot"; where plans are drawn, bodies
/// "box0" and so on and "round0" and so on, with one geom each.

/// @param file  a model of a user's; NULL: none
/// @param step  seconds of physics
void sac_rooms_mjcf(sac_growing *text, const char *file, double step);
