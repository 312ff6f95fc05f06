#pragma once

#include "env/mujoco/view.h"

/// MuJoCo's own OpenGL pictures of a model, to compare with. They are slow, and their bits depend on the driver.

typedef struct sac_mujoco_opengl sac_mujoco_opengl;

/// @param[out] out    released by sac_mujoco_opengl_destroy; NULL on failure
/// @param      model  must outlive it
/// @return SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_mujoco_opengl_create(sac_mujoco_opengl **out, const sac_mujoco *mj, mjModel *model,
                                                const sac_mujoco_view_def *def);

/// NULL is ignored.
void sac_mujoco_opengl_destroy(sac_mujoco_opengl *opengl);

/// Draw a scene, rgb [height, width, 3].
SAC_CHECKED sac_status sac_mujoco_opengl_draw(sac_mujoco_opengl *opengl, mjvScene *scene, uint8_t *rgb);
