#pragma once

#include "saccade/base.h"

#define SAC_MODULE_PATH_SIZE 4096

/// Modules: shared objects around heavy libraries (FFmpeg, SDL2, cairo), opened when they are needed, so that a command
/// that needs none of them starts at once. A module exports one table of functions and depends on nothing else of
/// saccade.
///
/// They are looked for beside the object that holds the library (the executable, libsaccade.so or Python's extension),
/// in the installed library folder, and in $SACCADE_MODULES. MuJoCo's module needs the library libmujoco.so of its
/// version, which is taken from $SACCADE_MUJOCO where that is set.

/// Find a file that comes with saccade, in the same places as modules.
/// @param[out] path  "" when it is nowhere
/// @return SAC_ERROR_ARGUMENT when $SACCADE_MODULES is set and empty
SAC_CHECKED sac_status sac_module_find(char path[SAC_MODULE_PATH_SIZE], const char *file);

/// A module that saccade has.
typedef struct sac_module
{
    const char *name;
    const char *does;    ///< what works with it alone
    const char *install; ///< what a person types to have it; then saccade is built again
} sac_module;

/// The modules in turn; NULL after the last.
const sac_module *sac_module_at(int index);

/// Open saccade-<name>.so and find the table `sac_<name>_module` in it. A module stays open until the process ends.
/// @return SAC_ERROR_UNAVAILABLE when the module or one of its libraries is missing; the sentence says what to install.
///         SAC_ERROR_ARGUMENT when $SACCADE_MODULES is set and empty
SAC_CHECKED sac_status sac_module_open(const void **table, const char *name);
