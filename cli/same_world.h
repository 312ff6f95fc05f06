#pragma once

#include "target.h"

/// Check that the returns of two targets compare, which needs the same world, the same variant and the same options.
/// Options of a built-in world that change only what a policy sees of it or where it runs, such as width, renderer and
/// workers, may differ. Of a plugin's world every option counts.
/// @return SAC_ERROR_ARGUMENT with the first difference and how to put both into one world
SAC_CHECKED sac_status cli_check_same_world(const cli_target *a, const cli_target *b);
