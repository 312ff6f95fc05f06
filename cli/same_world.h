#pragma once

#include "target.h"

/// Whether the returns of two targets compare: the same world and variant, and the same options of it but for those
/// of a built-in one that change only what a policy sees of it or where it runs, such as width, renderer and workers.
/// Of a plugin's world every option counts.
/// @return SAC_ERROR_ARGUMENT with the first difference and how to put both into one world
SAC_CHECKED sac_status cli_check_same_world(const cli_target *a, const cli_target *b);
