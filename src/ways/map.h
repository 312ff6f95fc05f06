#pragma once

#include "saccade/base.h"

/// Where a robot's middle can be, as squares of a grid, and how far each is from a goal by the shortest way over them.
///
/// A way goes from a square to one of its eight neighbours, along a diagonal only where both squares beside it are
/// free, too. A side counts 70 and a diagonal 99, so that lengths are whole numbers: 99 / 70 is the square root of two
/// within 6e-5.

enum
{
    WAYS_STRAIGHT = 70,
    WAYS_DIAGONAL = 99,
    WAYS_FAR = INT32_MAX ///< of a square from which no way leads to the goal
};

typedef struct ways_map
{
    double origin[2]; ///< the grid's corner, m
    double cell;      ///< side of a square, m
    int columns, rows;
    uint8_t *free;            ///< [rows, columns]
    int32_t *field;           ///< [rows, columns] way to the goal
    int32_t *next, *previous; ///< [rows, columns] lists of squares of which a way is known, by its length
    int goal;                 ///< its square
} ways_map;

/// @param[out] out  released by sac_ways_destroy; NULL on failure
/// @return SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_ways_create(ways_map **out, const double origin[2], double cell, int columns, int rows);

/// NULL is ignored.
void sac_ways_destroy(ways_map *map);

/// Use so many columns and rows of it, at most those that it was made with, and make all squares free but those within
/// `radius` of the edge.
void sac_ways_clear(ways_map *map, int columns, int rows, double radius);

/// Take what is within `radius` of a box or of a round piece from the free squares.
/// @param half  half widths of the box along x and y; of the round piece its radius, twice
void sac_ways_block(ways_map *map, const double center[2], const double half[2], bool round, double radius);

/// Make a square the goal, and find the way from every other one.
/// @param enough  once the way from this square and from those up to a metre farther is found, the rest may be without
///                one; -1: all are found
void sac_ways_aim(ways_map *map, int goal, int enough);

/// The square of a place; -1: it is outside.
int sac_ways_at(const ways_map *map, double x, double y);

/// The middle of a square.
void sac_ways_middle(const ways_map *map, int square, double place[2]);

/// The square from which a way goes on from a place: of the free ones that are as near as the nearest one and up to a
/// square's side farther, the one with the shortest way, the way to its middle included; -1: none is within 0.35 m.
/// @param[out] length  of that way, m; may be NULL
int sac_ways_enter(const ways_map *map, const double place[2], double *length);

/// The way ahead from a square: the last place of the shortest way up to which all of it is in straight view.
/// @param[out] corner  m
void sac_ways_corner(const ways_map *map, int square, double corner[2]);
