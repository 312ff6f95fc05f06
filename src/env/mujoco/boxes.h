#pragma once

#include "env/mujoco/mujoco.h"

/// Bodies of the world with one geom each, a box or a cylinder, that are laid out anew in a model of one's own.

/// Put such a body somewhere and give its geom a size. All that MuJoCo derives from a geom's size is set with it: the
/// bounding sphere, the bounding box, and the one node of the body's tree of boxes.
/// @param half  half widths; of a cylinder the radius twice, and half its height
/// @param turn  about z, rad
void sac_mujoco_put(mjModel *model, int body, const double center[3], const double half[3], double turn);
