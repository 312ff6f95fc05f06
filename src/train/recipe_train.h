#pragma once

#include "run/recipe.h"
#include "saccade/train.h"

/// How a recipe is carried out.
typedef struct sac_recipe_def
{
    const char *root; ///< the folder that the recipe's paths begin at
    const char *runs; ///< a folder for the run of each part; what it holds already is gone on with
    int threads;
    void (*progress)(void *user, int part, const sac_progress *progress); ///< may be NULL
    void *user;
    const volatile int *interrupt; ///< may be NULL
} sac_recipe_def;

/// Train every part, one after the other.
/// @param[out] policy  of the last part; released by sac_policy_destroy; NULL on failure
/// @param[out] steps   [part_count] environment steps that each took
SAC_CHECKED sac_status sac_recipe_train(const sac_recipe *recipe, const sac_recipe_def *def, sac_policy **policy,
                                        uint64_t *steps);
