#pragma once

#include "base/workspace.h"
#include "saccade/base.h"
#include "ways/map.h"

/// A map that a robot draws of where it is, from depth pictures and from how it has moved. It begins at the origin,
/// looking along x, and knows nothing. A square is known once a ray of the camera has passed it or ended in it, and
/// free where the robot has room in it besides.

typedef struct survey_camera
{
    double tangent, high; ///< of half the field of view from side to side, and from top to bottom
    double ahead, up;     ///< m: where it stands on the robot
    double far;           ///< m that it sees along its view
    int height, width;    ///< pixels
} survey_camera;

typedef struct survey_place
{
    double x, y, cosine, sine;
} survey_place;

typedef struct survey
{
    survey_camera camera;
    ways_map *ways;
    uint8_t *known, *tight; ///< [rows, columns]; tight: the robot has no room there
    uint8_t *spent;         ///< edges of what is known that are not to be gone to any more
} survey;

/// Cut its arrays for a map of so many squares a side.
void sac_survey_place(survey *s, int side, sac_workspace *workspace);

/// Make the map, which the survey owns.
/// @return SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_survey_open(survey *s, double extent);
void sac_survey_close(survey *s);

/// Squares along a side of a map of so many metres.
int sac_survey_side(double extent);

/// Forget everything.
void sac_survey_begin(survey *s);

/// Look around from a place.
/// @param depth  [height, width] m along the view
void sac_survey_look(survey *s, const survey_place *from, const float *depth);

/// What stands at a point.
void sac_survey_block(survey *s, double x, double y);

/// The point that a column of the picture shows at a depth; columns may be fractions.
void sac_survey_point(const survey *s, const survey_place *from, double column, double depth, double point[2]);

/// Find the ways from all squares to a place: to the free square that is nearest to it, or with `again` to the nearest
/// of those around it that had no way to the one before, because what the robot is pressed to cuts them off on the map.
/// @return false where there is no such square around
bool sac_survey_spread(survey *s, const survey_place *from, bool again);

/// After sac_survey_spread: whether a square that can be reached lies at the edge of what is known, and one behind it
/// to look at.
bool sac_survey_is_edge(const survey *s, int square, double behind[2]);

/// The nearest such square, or the one that a chance in 0..1 draws of all of them (below 0: the nearest); -1: none.
int sac_survey_edge(const survey *s, double chance);

/// After sac_survey_spread: the square that can be reached and is nearest to a point, by the straight line; -1: none.
int sac_survey_nearest(const survey *s, const double point[2]);
