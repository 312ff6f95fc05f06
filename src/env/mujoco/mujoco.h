#pragma once

#include "env/mujoco/mujoco_calls.h"
#include "saccade/base.h"

/// MuJoCo, opened when the first world needs it. Where it would end the process or write a file, it fails instead.

/// @param[out] mj  MuJoCo's functions, until the process ends; NULL on failure
/// @return SAC_ERROR_UNAVAILABLE when the library is missing or of another version than the headers
SAC_CHECKED sac_status sac_mujoco_open(const sac_mujoco **mj);

/// Do work that calls MuJoCo; where MuJoCo reports an error, the work is left and the error is the failure's sentence.
/// @return what `work` returns, or SAC_ERROR_ENVIRONMENT
SAC_CHECKED sac_status sac_mujoco_guard(sac_status (*work)(void *self), void *self);

/// Load a model from its XML file. What MuJoCo says against a broken file becomes the sentence of the failure.
/// @param      edit   changes the model before it is compiled; NULL: it stays as it is
/// @param[out] model  released by mj_deleteModel; NULL on failure
/// @return SAC_ERROR_FILE or SAC_ERROR_FORMAT
SAC_CHECKED sac_status sac_mujoco_load(mjModel **model, const sac_mujoco *mj, const char *path,
                                       void (*edit)(const sac_mujoco *mj, mjSpec *spec));

/// The same from XML in memory.
/// @param name  stands for the model in sentences
/// @return SAC_ERROR_FORMAT
SAC_CHECKED sac_status sac_mujoco_load_text(mjModel **model, const sac_mujoco *mj, const char *name, const char *text);
