#pragma once

#include "env/control/view.h"

/// MuJoCo's own OpenGL pictures of a world, to compare with. They are slow, and their bits depend on the driver.

typedef struct control_opengl control_opengl;

/// @param[out] out    released by sac_control_opengl_destroy; NULL on failure
/// @param      world  must outlive it
/// @return SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_control_opengl_create(control_opengl **out, const control_world *world,
                                                 const control_view_def *def);

/// NULL is ignored.
void sac_control_opengl_destroy(control_opengl *opengl);

/// Draw a scene, rgb [height, width, 3].
SAC_CHECKED sac_status sac_control_opengl_draw(control_opengl *opengl, mjvScene *scene, uint8_t *rgb);
