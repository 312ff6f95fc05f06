#pragma once

#include "saccade/policy.h"

/// Drive a robot on wheels to a point: the faster the straighter ahead that is, and what is behind is turned to at full
/// turn.
/// @param[out] action    ahead and turn, within the bounds of the def's actions
/// @param      ahead, left  the point, in any unit
/// @param      steering  turn for each unit of the sine of its direction
/// @param      narrow    cosine of its direction from which on the robot drives; at 1 it drives at full speed
void sac_steer(float action[2], float ahead, float left, float steering, float narrow, const sac_policy_def *def);
