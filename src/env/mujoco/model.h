#pragma once

#include "env/mujoco/mujoco.h"
#include "saccade/render.h"

/// Models as they were loaded, with their textures made ready for drawing: each is read once and shared by all worlds
/// and threads that use it. Worlds change copies.

typedef struct control_model
{
    mjModel *model; ///< read only
    sac_render_assets *assets;
    const sac_mujoco *mj;
    char *path;
    int users;
    struct control_model *next;
} control_model;

/// Load the model at `path`, or take the one that is loaded already.
/// @param[out] out  released by sac_control_model_release; NULL on failure
/// @return what sac_mujoco_load and sac_mujoco_assets_create say
SAC_CHECKED sac_status sac_control_model_acquire(control_model **out, const sac_mujoco *mj, const char *path,
                                                 void (*edit)(const sac_mujoco *mj, mjSpec *spec));

/// NULL is ignored.
void sac_control_model_release(control_model *model);
