#pragma once

#include "env/control/distraction/distraction.h"
#include "env/control/world.h"
#include "env/mujoco/view.h"

/// Pictures of a world of the suite, with what distracts from it.

typedef struct control_view control_view;

/// @param[out] out    released by sac_control_view_destroy; NULL on failure
/// @param      world  must outlive the view
/// @param      backdrop  whether `draw` will be given a distraction with a background: antialias takes four times the
///                       pixels then
/// @return SAC_ERROR_ARGUMENT for a camera that the model has not, SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_control_view_create(control_view **out, const control_world *world,
                                               const sac_mujoco_view_def *def, bool backdrop);

/// NULL is ignored.
void sac_control_view_destroy(control_view *view);

/// Draw the world as it is, rgb [height, width, 3].
/// @param distraction  NULL: none
SAC_CHECKED sac_status sac_control_view_draw(control_view *view, control_world *world, control_distraction *distraction,
                                             uint8_t *rgb);
