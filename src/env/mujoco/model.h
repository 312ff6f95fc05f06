#pragma once

#include "env/mujoco/mujoco.h"
#include "saccade/render.h"

/// Models as they were loaded, with their textures made ready for drawing: each is read once and shared by all worlds
/// and threads that use it. Worlds change copies.

typedef struct mujoco_model
{
    mjModel *model; ///< read only
    sac_render_assets *assets;
    const sac_mujoco *mj;
    char *name; ///< its path, or what its maker calls it
    int users;
    struct mujoco_model *next;
} mujoco_model;

/// Load the model at `path`, or take the one that is loaded already.
/// @param[out] out  released by sac_mujoco_model_release; NULL on failure
/// @return what sac_mujoco_load and sac_mujoco_assets_create say
SAC_CHECKED sac_status sac_mujoco_model_acquire(mujoco_model **out, const sac_mujoco *mj, const char *path,
                                                void (*edit)(const sac_mujoco *mj, mjSpec *spec));

/// The same for a model that is made in memory.
/// @param name  says which model it is: the same text always
SAC_CHECKED sac_status sac_mujoco_model_acquire_text(mujoco_model **out, const sac_mujoco *mj, const char *name,
                                                     const char *text);

/// NULL is ignored.
void sac_mujoco_model_release(mujoco_model *model);
