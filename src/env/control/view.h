#pragma once

#include "env/control/distraction.h"
#include "env/control/scene.h"
#include "env/control/world.h"

/// Pictures of a world at one size.

typedef struct control_view_def
{
    int height, width; ///< pixels
    int camera;        ///< of the model; -1: the free camera
    bool shadows, reflections, antialias;
    bool opengl; ///< drawn by MuJoCo's OpenGL, which shows no backdrop
} control_view_def;

typedef struct control_view control_view;

/// @param[out] out    released by sac_control_view_destroy; NULL on failure
/// @param      world  must outlive the view
/// @return SAC_ERROR_ARGUMENT for a camera that the model has not, SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_control_view_create(control_view **out, const control_world *world,
                                               const control_view_def *def);

/// NULL is ignored.
void sac_control_view_destroy(control_view *view);

/// Draw the world as it is, rgb [height, width, 3].
/// @param distraction  NULL: none
SAC_CHECKED sac_status sac_control_view_draw(control_view *view, control_world *world, control_distraction *distraction,
                                             uint8_t *rgb);
