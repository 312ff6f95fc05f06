#pragma once

#include "grip/solid.h"

/// A parallel gripper as numbers: a palm and two fingers that slide towards each other, of the sizes of a Weiss WSG 50.
///
/// The hand's frame has its origin at the tip, midway between the ends of the fingers. x is the direction in which they
/// close, z that of approach, from the palm towards the tip, and y = z x x.

static const double grip_stroke = 0.110;                        ///< m between open fingers
static const double grip_finger[3] = {0.004, 0.010, 0.0375};    ///< half sizes of a finger along x, y and z
static const double grip_palm[3] = {0.073, 0.025, 0.036};       ///< of the palm, which begins where fingers do
static const double grip_least_force = 5, grip_most_force = 80; ///< N that each finger presses with
static const double grip_closing_speed = 0.2;                   ///< m/s of each finger

enum
{
    GRIP_ACTION = 7 ///< numbers of a grasp: tip, approach, roll
};

/// The hand's axes for a direction of approach and a roll, rows of the rotation into the world.
///
/// At roll 0 and straight down, fingers close along the world's x. For another direction the hand is turned from there
/// by the smallest turn that leads from straight down to it, and then by the roll about it.
/// @param approach  of any length but 0; not a direction: straight down
void sac_grip_axes(double axes[9], const double approach[3], double roll);

/// How far the open hand with its tip in the origin reaches below it: the largest -z of its points.
double sac_grip_depth(const double axes[9]);
