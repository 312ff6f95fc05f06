#pragma once

#include "methods/uptrain_options.h"
#include "run/recipe.h"
#include "saccade/uptrain.h"

/// Up-training as its options are typed.

/// A def of what was typed. Its attention points into the options.
sac_uptrain_def sac_uptrain_typed_def(const sac_uptrain_options *options);

/// Carry out a part of a recipe that up-trains, in the world that its policy was trained in.
/// @param      start   the file of the policy that it begins with
/// @param      out     where the new policy goes, whose file says of the world what that one says
/// @param      def     threads, interrupt and progress; the rest is the part's
/// @param[out] steps   of the world
/// @return as sac_uptrain; SAC_ERROR_ARGUMENT also for an option that means nothing for this policy; SAC_ERROR_FILE
SAC_CHECKED sac_status sac_uptrain_part(const sac_recipe_part *part, const char *start, const char *out,
                                        const sac_uptrain_def *def, uint64_t *steps);
