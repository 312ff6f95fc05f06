#pragma once

#include "env/grasp/moments.h"
#include "env/grasp/table.h"
#include "grip/hand.h"

/// One attempt at a grasp, executed without looking: the hand comes, closes, lifts and holds.

typedef struct grasp_attempt
{
    double tip[3], axes[9]; ///< of the hand when it closes, in the world
    double hold;            ///< seconds for which what is lifted must stay up
    grasp_moments *moments; ///< that are kept of it; NULL: none
} grasp_attempt;

typedef struct grasp_outcome
{
    int held;       ///< the thing that was held up; -1: none
    double opening; ///< m between the fingers at the end
    double lift;    ///< m by which the thing that rose most was above its place when that was decided
    bool blocked;   ///< the hand began in a thing, or was stopped by one on its way
    bool broken;    ///< the physics broke down
} grasp_outcome;

/// Seconds that an attempt takes at most, the time for which it holds left out.
static const double grasp_attempt_seconds = 1.4;

/// m by which a thing must be lifted, and stay lifted.
static const double grasp_lift = 0.1;

/// The hand's place for an action about a point: the tip is moved up by what the hand, anywhere on its way, would reach
/// below the table.
/// @param action  [GRIP_ACTION] tip relative to `center`, direction of approach, roll
void sac_grasp_aim(grasp_attempt *attempt, const double center[3], const float *action);

/// Carry it out. The hand is left where it is.
SAC_CHECKED sac_status sac_grasp_try(grasp_outcome *outcome, grasp_table *table, const grasp_attempt *attempt);
