#pragma once

#include "env/legs/body.h"
#include "env/mujoco/view.h"

/// Pictures of a robot's cameras, and of the robot for people.

enum
{
    LEGS_MOST_EYES = 2 ///< depth pictures, one above the other
};

typedef struct legs_view_def
{
    int height, width;             ///< of the picture in colours
    legs_camera camera;            ///< that it is taken by
    int depth_height, depth_width; ///< of each depth picture
    legs_camera eyes[LEGS_MOST_EYES];
    int eye_count;
    float far; ///< m: what is farther counts as this far
} legs_view_def;

typedef struct legs_view legs_view;

/// @param[out] out   released by sac_legs_view_destroy; NULL on failure
/// @param      body  must outlive the view
SAC_CHECKED sac_status sac_legs_view_create(legs_view **out, legs_body *body, const legs_view_def *def);

/// NULL is ignored.
void sac_legs_view_destroy(legs_view *view);

/// Take pictures of the robot as it is.
/// @param rgb    [height, width, 3]; NULL: not wanted
/// @param depth  [eye_count depth_height, depth_width], metres along the view; NULL: not wanted
SAC_CHECKED sac_status sac_legs_view_take(legs_view *view, uint8_t *rgb, float *depth);

/// The robot from behind, for people, rgb [height, width, 3].
SAC_CHECKED sac_status sac_legs_view_poster(legs_view *view, uint8_t *rgb, int height, int width);
