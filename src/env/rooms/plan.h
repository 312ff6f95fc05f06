#pragma once

#include "saccade/base.h"

/// Floor plans: a square of rooms that walls divide, with doors in the walls and furniture in the rooms. A seed decides
/// a plan. The corner of the square is the origin, and walls lie along x and y.

enum
{
    ROOMS_MOST_ROOMS = 40,   ///< a plan of 16 m has 6 x 6 of the smallest at most
    ROOMS_MOST_DOORS = 120,  ///< each stretch of wall between two rooms has one at most
    ROOMS_MOST_BOXES = 400,  ///< pieces of walls, and furniture
    ROOMS_MOST_ROUNDS = 200, ///< furniture that is round
};

/// The sizes that plans are drawn from, in metres.
typedef struct rooms_plan_def
{
    double size;                ///< of the square's sides, 2.5 to 16
    double door_low, door_high; ///< widths of doors
    double loops;  ///< the chance that a wall between two rooms has a door that the rooms' tree does not need
    int furniture; ///< pieces that are tried in each room
    int things;    ///< with names (things.h)
    int names;     ///< which names they have, a rooms_names
    bool unmet;    ///< thickness of walls, sizes and heights from ranges that other plans do not have
} rooms_plan_def;

/// A rectangle, between its middle lines where it is a room.
typedef struct rooms_rectangle
{
    double low[2], high[2]; ///< x and y
} rooms_rectangle;

/// An opening in a wall that runs along one axis.
typedef struct rooms_door
{
    int across;    ///< the axis that one walks along to pass it: 0 for x, 1 for y
    double line;   ///< where the wall's middle is on that axis
    double middle; ///< of the door, on the other axis
    double width;
    int rooms[2]; ///< on its two sides
} rooms_door;

/// A box or a round piece that stands on the floor.
typedef struct rooms_piece
{
    double center[2], half[2]; ///< half widths, of a round piece its radius twice
    double height;
    float rgba[4];
    int name; ///< of a thing, plus one; 0: it has none
} rooms_piece;

typedef struct rooms_plan
{
    double size, thickness;                                         ///< of the square and of its walls
    int room_count, door_count, box_count, round_count, wall_count; ///< of the boxes the first `wall_count` are walls
    int thing_count; ///< of the round pieces the first ones are things with names
    rooms_rectangle rooms[ROOMS_MOST_ROOMS];
    rooms_door doors[ROOMS_MOST_DOORS];
    rooms_piece boxes[ROOMS_MOST_BOXES], rounds[ROOMS_MOST_ROUNDS];
} rooms_plan;

/// Draw a plan.
void sac_rooms_plan_draw(rooms_plan *plan, const rooms_plan_def *def, uint64_t seed);
