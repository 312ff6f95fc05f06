#pragma once

#include "saccade/leg.h"

/// Gaits: when which foot stands and when it swings, by the clock and by what the toes feel (openloop gait generator of
/// PyBullet's envs_v2).

/// A gait: each foot stands for `duty` of a period and then swings. Its time is ahead of the clock by `offset` periods.
typedef struct sac_gait
{
    double period; ///< seconds, > 0
    double duty;   ///< 0..1, both exclusive
    double offset[SAC_LEGS];
} sac_gait;

SAC_API sac_gait sac_gait_trot(void); ///< 0.5 s, 60 % stance
SAC_API sac_gait sac_gait_walk(void); ///< 0.9375 s, 80 % stance; for callers of their own: the worlds `legs:*` trot

typedef enum sac_foot
{
    SAC_FOOT_STANCE,
    SAC_FOOT_SWING,
    SAC_FOOT_EARLY, ///< it should swing, and has met the ground after 40 % of its swing
    SAC_FOOT_LOST,  ///< it should stand, and has no ground after 40 % of its stance
} sac_foot;

typedef struct sac_gait_feet
{
    bool stands[SAC_LEGS];  ///< by the clock alone: what stance control goes by
    double phase[SAC_LEGS]; ///< 0..1 (exclusive) within this stance or swing
    sac_foot foot[SAC_LEGS];
} sac_gait_feet;

/// @param time     seconds since the gait began; finite, >= 0
/// @param touches  which toes touch something
SAC_API sac_gait_feet sac_gait_at(const sac_gait *gait, double time, const bool touches[SAC_LEGS]);
