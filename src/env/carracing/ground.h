#pragma once

#include "env/carracing/chain.h"

/// The road as the car touches it. A part of the car and a tile touch where they are at most 0.02 apart: the skins of
/// Box2D's polygons.

enum
{
    GROUND_BLOCK = 8, ///< tiles that share one bounding circle
    GROUND_MAX_BLOCKS = CAR_MAX_NODES / GROUND_BLOCK,
    POLYGON_MAX = 8,
};

/// A convex polygon, counter-clockwise: inside is n . p <= d for every edge.
typedef struct car_polygon
{
    int count;
    float x[POLYGON_MAX], y[POLYGON_MAX];                   ///< corners; edge i goes from corner i to i + 1
    float nx[POLYGON_MAX], ny[POLYGON_MAX], d[POLYGON_MAX]; ///< outward normals of length 1
} car_polygon;

typedef struct car_circle
{
    float x, y, radius;
} car_circle;

typedef struct car_ground
{
    int count;
    car_polygon tile[CAR_MAX_NODES];
    car_circle tile_circle[CAR_MAX_NODES], block_circle[GROUND_MAX_BLOCKS];
    uint8_t touched[CAR_MAX_NODES]; ///< by any part of the car: drawn in the plain colour
    uint8_t visited[CAR_MAX_NODES]; ///< by a wheel: paid
    int visited_count;
} car_ground;

void sac_car_ground_lay(car_ground *ground, const car_track *track);

/// Find what the car touches, mark it, and count the visits.
/// @param[out] on_road      whether each wheel touches a tile
/// @param[out] start_count  how many tiles were visited when the tile at the start was first visited in this call; else
/// 0
/// @return the number of tiles first visited in this call
int sac_car_ground_touch(car_ground *ground, const car_chain *chain, bool on_road[CAR_WHEELS], int *start_count);
