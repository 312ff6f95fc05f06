#pragma once

#include "base/random.h"
#include "env/rooms/plan.h"

/// Put furniture into the rooms of a plan that has its walls: boxes along walls, boxes and round pieces in the middle.
/// A robot with a radius of 0.25 m at most can go around each piece, or it stands at one wall and the robot can go
/// around the rest of it; so no piece closes a way. Doors keep free room on both sides.
void sac_rooms_furnish(rooms_plan *plan, const rooms_plan_def *def, sac_stream *random);

/// Find a place in a room for a piece whose sizes are known, at a wall or in the middle, such that it closes no way.
/// @param[out] p  its middle
/// @return false where the place that was drawn is none
bool sac_rooms_place(rooms_piece *p, const rooms_plan *plan, const rooms_rectangle *room, bool at_wall,
                     sac_stream *random);
