#pragma once

#include "env/rooms/body.h"
#include "ways/map.h"

/// What an episode plays in: a plan, where in it a robot can be, and from where to where it is to go.

typedef struct rooms_house
{
    rooms_plan *plan; ///< NULL: a user's model, which stays the same
    ways_map *map;
    double start[3], goal[2]; ///< m; start: x, y and yaw
    int thing;                ///< of the plan's, that the goal is; -1: the goal is a place
    double turned;            ///< rad by which the robot looks past a thing at the start, at most; pi unless it is set
    double low[2], high[2];   ///< all of it, m
    int *choices;             ///< [squares] room for those among which one is drawn
} rooms_house;

/// A house for plans that are drawn, up to a size; or for the model of a body, whose free squares are found here by
/// letting the robot stand on each.
/// @param body  of a user's model; NULL: plans are drawn
/// @return SAC_ERROR_MEMORY; SAC_ERROR_FORMAT for a model without room for a robot, or one that is too large
SAC_CHECKED sac_status sac_rooms_house_create(rooms_house **out, double largest, rooms_body *body);

/// NULL is ignored.
void sac_rooms_house_destroy(rooms_house *house);

/// Take what is within `radius` of a plan's pieces from the free squares of a map.
void sac_rooms_house_block(const rooms_plan *plan, ways_map *map, double radius);

/// Draw the plan of an episode (def NULL: the plan stays), a goal and a start from where the shortest way to it is
/// between `nearest` and `farthest` m long, or where there is none such, as long as any is. Where the plan has things,
/// the first of them is the goal, and what ways lead to is a square beside it.
void sac_rooms_house_draw(rooms_house *house, const rooms_plan_def *def, double nearest, double farthest,
                          uint64_t seed);

/// Whether nothing of a plan that is drawn stands between a place and a thing of it.
bool sac_rooms_house_clear(const rooms_house *house, const double from[2], int thing);
