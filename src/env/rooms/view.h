#pragma once

#include "env/rooms/body.h"
#include "saccade/render.h"

/// What the robot's camera sees, as metres along the view, and the plan from above for people.

typedef struct rooms_view_def
{
    int height, width; ///< pixels of the depth picture
    double angle;      ///< its field of view from top to bottom, degrees
    double near, far;  ///< m: what is nearer or farther counts as that
    int detail;        ///< pixels a side of the colour picture for each of depth; 0: there is no such picture
} rooms_view_def;

/// How the camera stands on the robot in an episode.
typedef struct rooms_camera
{
    double shift[3]; ///< m from its place: ahead, to the left, up
    double tilt[3];  ///< rad about these axes
} rooms_camera;

/// What is drawn of an episode for people beside the plan.
typedef struct rooms_trail
{
    const rooms_place *walked; ///< [count] where the robot was
    int count;
    double goal[2], goal_radius; ///< m
    double low[2], high[2];      ///< the part of the world that is shown
} rooms_trail;

typedef struct rooms_view rooms_view;

/// @param[out] out   released by sac_rooms_view_destroy; NULL on failure
/// @param      body  must outlive the view
SAC_CHECKED sac_status sac_rooms_view_create(rooms_view **out, rooms_body *body, const rooms_view_def *def);

/// NULL is ignored.
void sac_rooms_view_destroy(rooms_view *view);

/// The tangent of half the field of view from side to side.
double sac_rooms_view_tangent(const rooms_view_def *def);

/// @param[out] depth  [height, width]; NULL: it is not wanted
/// @param[out] names  [height, width] 1 more than the name of the thing that a pixel shows, 0 where it shows none; NULL
SAC_CHECKED sac_status sac_rooms_view_take(rooms_view *view, const rooms_camera *camera, float *depth, float *names);

/// What the same camera sees in colour, up to `far`.
/// @param[out] rgb  [height detail, width detail, 3]
SAC_CHECKED sac_status sac_rooms_view_colours(rooms_view *view, const rooms_camera *camera, uint8_t *rgb);

/// The plan from above: the robot, where it has been, and the goal; rgb [height, width, 3].
SAC_CHECKED sac_status sac_rooms_view_poster(rooms_view *view, const rooms_trail *trail, uint8_t *rgb, int height,
                                             int width);
