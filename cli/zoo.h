#pragma once

#include <jansson.h>

#include "cli.h"
#include "run/recipe.h"

/// What `saccade zoo` does with the recipes beside the policies.

enum
{
    ZOO_PATH_SIZE = 4096
};

/// The policies that a command line asks for.
typedef struct zoo_choice
{
    char folder[ZOO_PATH_SIZE], root[ZOO_PATH_SIZE]; ///< the zoo, and what its recipes' paths begin at
    char (*paths)[ZOO_PATH_SIZE];
    int count;
} zoo_choice;

/// Print the commands of each policy's recipe, as its card shows them. @return an exit code
int zoo_print_commands(const zoo_choice *zoo);

/// Append the commands of a recipe to a list, each on one line.
SAC_CHECKED sac_status zoo_list_commands(const sac_recipe *recipe, json_t *list);

/// Train each policy again from its recipe and compare. @return an exit code: CLI_FAILURE when one differs
int zoo_verify(const zoo_choice *zoo, const char *runs, int threads);

/// "zoo/NAME.safetensors" -> "zoo/NAME.yaml".
void zoo_recipe_path(char path[ZOO_PATH_SIZE], const char *policy);
