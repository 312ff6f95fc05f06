#pragma once

#include "env/mujoco/mujoco.h"
#include "saccade/render.h"

/// MuJoCo's abstract scene as one that saccade draws.

/// The textures, meshes and height fields of a model, for all scenes of it.
/// @param[out] assets  released by sac_render_assets_destroy; NULL on failure
SAC_CHECKED sac_status sac_mujoco_assets_create(sac_render_assets **assets, const mjModel *model);

typedef struct sac_mujoco_scene sac_mujoco_scene;

/// @param[out] out    released by sac_mujoco_scene_destroy; NULL on failure
/// @param      assets of this model; shared, must outlive the scene
SAC_CHECKED sac_status sac_mujoco_scene_create(sac_mujoco_scene **out, const sac_mujoco *mj, const mjModel *model,
                                               const sac_render_assets *assets);

/// NULL is ignored.
void sac_mujoco_scene_destroy(sac_mujoco_scene *scene);

/// Take what is to be seen from the data, which must be up to date: mj_forward, or mj_kinematics, mj_comPos,
/// mj_camlight and mj_tendon after mj_step. Allocates nothing.
/// @param camera  of the model; -1: the free camera
/// @param width, height  of the picture, for its aspect
/// @return what to draw, until the next call; the caller may change it, its view above all
sac_scene *sac_mujoco_scene_update(sac_mujoco_scene *scene, const mjModel *model, mjData *data, int camera, int width,
                                   int height);

/// The abstract scene that the last update took this from, for MuJoCo's own renderer.
mjvScene *sac_mujoco_scene_abstract(sac_mujoco_scene *scene);
