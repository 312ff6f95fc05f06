#pragma once

#include "saccade/env.h"

/// Check that the returns of two worlds compare, which needs the same world, the same variant and the same options.
/// Options of a built-in world that change only what a policy sees of it or where it runs, such as width, renderer and
/// workers, may differ. Of a plugin's world every option counts.
/// @return SAC_ERROR_ARGUMENT with the first difference and how to put both into one world
SAC_CHECKED sac_status cli_check_same_world(const sac_env_def *a, const sac_env_def *b);

/// Write the options in which a world is another than the one that a policy learned in, such as "feet is all, not
/// either", without those that leave a world as it is; nothing where there are none.
/// @return SAC_ERROR_ARGUMENT for a value that the world refuses, SAC_ERROR_MEMORY
SAC_CHECKED sac_status cli_list_others(char *text, size_t size, const sac_env_def *learned, const sac_env_def *here);
