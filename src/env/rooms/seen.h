#pragma once

#include "env/rooms/house.h"

/// What a robot has seen of a house so far: squares in its camera's field of view, up to where something solid stands,
/// and those that it touches. Whoever knows just that, and takes what was not seen for free, goes by a shortest way,
/// too, and finds another one whenever a wall turns up. Such a way is what a teacher can be told whose student has
/// seen no more.

typedef struct rooms_seen
{
    double far;      ///< m that the camera sees
    double tangent;  ///< of half its field of view from side to side
    ways_map *map;   ///< squares that were seen to be blocked, or are taken for free
    ways_map *solid; ///< what hides what is behind it
    bool stale;      ///< a square has turned out to be blocked since the ways were found
    int from;        ///< the square up to which they were found
} rooms_seen;

/// @param[out] out    released by sac_rooms_seen_destroy; NULL on failure
/// @param      house  of the largest plan that will be seen
/// @return SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_rooms_seen_create(rooms_seen **out, const rooms_house *house, double far, double tangent);

/// NULL is ignored.
void sac_rooms_seen_destroy(rooms_seen *seen);

/// Forget everything, for the house as it is now.
void sac_rooms_seen_begin(rooms_seen *seen, const rooms_house *house);

/// Look around from a place.
void sac_rooms_seen_look(rooms_seen *seen, const rooms_house *house, const rooms_place *place);

/// The next corner of the shortest way by what was seen, m; the goal where none is known.
void sac_rooms_seen_corner(rooms_seen *seen, const rooms_house *house, const rooms_place *place, double corner[2]);
