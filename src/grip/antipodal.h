#pragma once

#include "grip/hand.h"

/// Grasps of a thing whose shape is known: places where two fingers press against surfaces that face away from each
/// other (antipodal grasps), found by looking at a lattice of directions, rolls and places.

typedef struct grip_grasp
{
    double tip[3], approach[3], roll;
    double cost; ///< the less, the better
} grip_grasp;

/// What a grasp costs beside how far its two normals are from opposite.
typedef struct grip_costs
{
    double lever; ///< for a metre between the fingers' middle and the centre of mass, across
    double depth; ///< the same along the approach
    double tilt;  ///< for an approach at a right angle to straight down
    double roll;  ///< for a radian of roll, so that of grasps that are alike one is always chosen
    double width; ///< for a metre between the fingers
} grip_costs;

grip_costs sac_grip_usual_costs(void);

/// Room for a search. It belongs to one thread at a time.
typedef struct grip_finder grip_finder;

/// @param[out] out  released by sac_grip_finder_destroy; NULL on failure
/// @return SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_grip_finder_create(grip_finder **out);

/// NULL is ignored.
void sac_grip_finder_destroy(grip_finder *finder);

/// Find grasps of a thing, the cheapest first, of which any two differ by more than 20 degrees or 1.5 cm. Grasps
/// straight down come before all others, which are looked for where there is room left. Allocates nothing.
/// @param[out] out    [room]
/// @param      thing  in the frame that grasps are in, whose z is up
/// @param      table  z of the table
/// @return how many
int sac_grip_find(grip_finder *finder, grip_grasp *out, int room, const grip_thing *thing, double table,
                  const grip_costs *costs);
