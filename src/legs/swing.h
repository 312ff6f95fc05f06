#pragma once

#include "saccade/base.h"

/// Where a foot is on its way through the air: on straight lines from where it lifted off to above its way, to its
/// landing, and in the end below it.

/// @param phase    0..1 of the swing
/// @param lift     where it lifted off
/// @param landing  where it shall land, at 0.9 of the swing
/// @param up       away from the ground, of length 1
/// @param clearance  by how much it passes above the line between the two, at 0.45
/// @param press    how far below its landing it is sent from 0.9001 on
void sac_swing_at(double toe[3], double phase, const double lift[3], const double landing[3], const double up[3],
                  double clearance, double press);
