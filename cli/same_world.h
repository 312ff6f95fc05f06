#pragma once

#include "target.h"

/// Check that the returns of two targets compare, which needs the same world, the same variant and the same options.
/// Options of a built-in world that change only what a policy sees of it or where it runs, such as width, renderer and
/// workers, may differ. Of a plugin's world every option counts.
/// @return SAC_ERROR_ARGUMENT with the first difference and how to put both into one world
SAC_CHECKED sac_status cli_check_same_world(const cli_target *a, const cli_target *b);

/// Say in one line in which options the target's world is another than the one in its policy's file: the policy may be
/// told numbers, and its actions taken, as it has not learned them. Nothing is said of options that leave a world as it
/// is.
/// @param path  of the policy
SAC_CHECKED sac_status cli_say_other_world(const cli_target *target, const char *path);
