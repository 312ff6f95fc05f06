#pragma once

#include "env/legs/robots.h"
#include "files/growing.h"

/// The model of a robot on ground that can be laid out anew, as MuJoCo's XML. The joints are those of saccade/leg.h,
/// the motors press with torques, and the robot's parts meet the ground and not each other.
///
/// Names: body "trunk" with cameras "front", "belly", "ahead" and "chase"; geoms "trunk", "LEG-thigh", "LEG-shank",
/// "LEG-toe", sensors and motors in the order of legs and joints; geom "floor"; bodies "piece0" and so on, each a box.

/// @param step    seconds of physics
/// @param pieces  boxes that the ground has room for
/// @param floor   height of the plane under them
void sac_legs_mjcf(sac_growing *text, const legs_robot *robot, double step, int pieces, double floor);

/// "FR", "FL", "RR", "RL".
extern const char *const sac_legs_names[SAC_LEGS];
