#pragma once

#include "env/mujoco/mujoco.h"
#include "saccade/render.h"

/// Pictures of a model's world at one size and from one camera.

typedef struct sac_mujoco_view_def
{
    int height, width; ///< pixels
    int camera;        ///< of the model; -1: the free camera
    bool shadows, reflections, antialias;
    bool opengl; ///< drawn by MuJoCo's OpenGL, to compare with: slow, without ids
} sac_mujoco_view_def;

typedef struct sac_mujoco_view sac_mujoco_view;

/// @param[out] out    released by sac_mujoco_view_destroy; NULL on failure
/// @param      model  must outlive the view
/// @param      assets of this model; shared, must outlive the view
/// @return SAC_ERROR_ARGUMENT for a camera that the model has not, SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_mujoco_view_create(sac_mujoco_view **out, const sac_mujoco *mj, mjModel *model,
                                              const sac_render_assets *assets, const sac_mujoco_view_def *def);

/// NULL is ignored.
void sac_mujoco_view_destroy(sac_mujoco_view *view);

/// Draw the data as they are. Allocates nothing.
/// @param[out] picture  colours, depth and ids as far as they are wanted, [height, width] each. With ids no sky is
/// drawn,
///                      for who paints behind the geoms. OpenGL draws colours alone.
SAC_CHECKED sac_status sac_mujoco_view_draw(sac_mujoco_view *view, mjData *data, const sac_picture *picture);

/// From where the last picture was drawn.
const sac_render_view *sac_mujoco_view_seen(const sac_mujoco_view *view);
