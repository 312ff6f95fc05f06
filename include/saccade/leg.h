#pragma once

#include "saccade/stance.h"

/// A leg of three joints, as robots with four legs have them: the first joint spreads the leg (abduction, about x), the
/// second and third swing thigh and shank in the leg's plane (hip and knee, about y). Where the toe is follows from the
/// joints, and the joints from where the toe shall be, in closed form.
///
/// Frames and legs as in saccade/stance.h: x forward, y left, z up; m and rad. All joints at 0 mean a leg that hangs
/// straight down. A positive abduction turns the leg about x, a positive hip moves the knee backwards, and a negative
/// knee bends the shank forwards from there. Motors of a robot may count from elsewhere.

enum
{
    SAC_LEG_JOINTS = 3
};

/// Where a leg is fixed, and how long it is.
typedef struct sac_leg
{
    double place[3];     ///< of the abduction's axis in the frame of the body
    double aside;        ///< of the plane in which the leg bends, from that axis; to the left positive
    double thigh, shank; ///< from hip to knee and from knee to the toe's centre; positive
} sac_leg;

/// Where the toe's centre is in the frame of the body.
SAC_API void sac_leg_toe(double toe[3], const sac_leg *leg, const double joints[SAC_LEG_JOINTS]);

/// The joints with which the toe is at a place, with the knee bent as a dog's hind leg is (knee <= 0). Where the place
/// is out of reach, the toe is in its direction, as near as it comes.
/// @param toe  below 1e100 each
/// @return whether it is within reach
SAC_API bool sac_leg_reach(double joints[SAC_LEG_JOINTS], const sac_leg *leg, const double toe[3]);

/// How the toe moves with the joints, d toe / d joints [3, 3], a row for each of x, y, z. Its transpose turns a force
/// at the toe into torques.
SAC_API void sac_leg_jacobian(double jacobian[9], const sac_leg *leg, const double joints[SAC_LEG_JOINTS]);
