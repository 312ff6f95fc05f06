#pragma once

#include "run/recipe.h"
#include "saccade/train.h"

/// How a recipe is carried out.
typedef struct sac_recipe_def
{
    const char *root; ///< the folder that the recipe's paths begin at
    const char *runs; ///< a folder for the run of each part; runs that it holds already are gone on with, while an
                      ///< up-training, which leaves nothing to go on with, is carried out again
    int threads;
    void (*progress)(void *user, int part, const sac_progress *progress); ///< of a part that trains; may be NULL
    /// Of a part that up-trains; may be NULL.
    void (*uptrain_progress)(void *user, int part, const char *phase, uint64_t step, uint64_t steps);
    void *user;
    const volatile int *interrupt; ///< may be NULL
} sac_recipe_def;

/// Train or up-train every part, one after the other.
/// @param[out] policy  of the last part; released by sac_policy_destroy; NULL on failure
/// @param[out] steps   [part_count] environment steps that each took
SAC_CHECKED sac_status sac_recipe_train(const sac_recipe *recipe, const sac_recipe_def *def, sac_policy **policy,
                                        uint64_t *steps);
