#pragma once

#include "saccade/base.h"

/// Courses: the ground that a robot walks over along x, as boxes in order. A seed decides a course; only the boxes near
/// the robot need to be anywhere, so that a model has room for a few.

typedef enum legs_course
{
    LEGS_FLAT,
    LEGS_OBSTACLES, ///< a raised platform, and walls from alternating sides
    LEGS_STONES,    ///< stones across the whole width, with gaps between
    LEGS_GRID,      ///< square stones in rows and columns that are a little turned
    LEGS_STAIRS,    ///< upwards
} legs_course;

/// How walls of a course of obstacles are laid out.
typedef enum legs_walls
{
    LEGS_ALTERNATING, ///< from the right and the left in turn; a colour tells the side
    LEGS_ANY,         ///< each from a side that is drawn, and so is its colour, of two
    LEGS_VARIED,      ///< the same with sizes and colours drawn from ranges, the platform's, too
} legs_walls;

enum
{
    LEGS_MOST_PIECES = 4096 ///< the most are a grid's of 60 m without gaps: 8 in a row, 466 rows of 0.13 m
};

/// A box of the ground.
typedef struct legs_piece
{
    double center[3], half[3];
    double turn; ///< about z, rad
    float rgba[4];
} legs_piece;

typedef struct legs_terrain_def
{
    legs_course course;
    double length; ///< m along x, from the origin to where a robot has crossed it
    double level;  ///< gaps, risers and how far walls reach, in tenths of the article's
    legs_walls walls;
    bool released; ///< stones as in the released environment instead of the article's
    bool unmet;    ///< sizes drawn from other ranges, at least one of which holds no size of other courses
} legs_terrain_def;

typedef struct legs_terrain
{
    legs_course course;
    int lasting; ///< of the boxes, the first so many are near the robot wherever it is
    int count;
    legs_piece pieces[LEGS_MOST_PIECES]; ///< by x; a robot starts at x = 0, where the ground's height is 0
} legs_terrain;

/// Lay out a course.
void sac_legs_terrain_draw(legs_terrain *terrain, const legs_terrain_def *def, uint64_t seed);

/// Height where there is no box.
double sac_legs_terrain_floor(legs_course course);

/// How many boxes are near a robot at most: those that last, and others one after the other.
int sac_legs_terrain_room(legs_course course);

/// The first of the other boxes that are near a robot at x, when `room` boxes have a place.
int sac_legs_terrain_first(const legs_terrain *terrain, int room, double x);

/// The box at a place of the `room` places, when the others begin with `first`; NULL: none.
const legs_piece *sac_legs_terrain_near(const legs_terrain *terrain, int first, int place);

/// Where the opening beside the next wall of a course of obstacles is: the first wall that a robot whose middle is at x
/// has not left behind. After the last one the opening is the whole platform, `length` m along the course.
/// @param[out] opening  x of the wall's middle, and y of the opening's
void sac_legs_terrain_opening(double opening[2], const legs_terrain *terrain, double length, double x);

/// Height of the ground under (x, y), as far as the boxes near the robot show it.
double sac_legs_terrain_height(const legs_terrain *terrain, int first, int room, double x, double y);
