#define _GNU_SOURCE // memfd_create
#include <sys/mman.h>
#include <unistd.h>

#include "methods/uptrain_options.h"
#include "run/recipe.h"

#include "fuzz.h"

// a recipe is read from a file: this one is in memory
static sac_status load(sac_recipe **recipe, const void *data, size_t size)
{
    int file = memfd_create("recipe", 0);
    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sac_status status = sac_recipe_load(recipe, path);
    close(file);
    fuzz_check_result(status, *recipe);
    return status;
}

// A part that up-trains can be carried out: it has a policy to begin with, and options that are read.
static void check_uptraining(const sac_recipe_part *part, const sac_recipe_beginning *begin)
{
    sac_uptrain_options options;
    fuzz_require(begin->start[0] && begin->setting_count == 0 && !part->task[0] && part->generations == 0);
    fuzz_require(sac_uptrain_options_read(&options, part->settings, part->setting_count, "again") == SAC_OK);
    fuzz_require(options.attention[0]);
}

// what every part begins with and leaves has a path, or one that is too long
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_recipe *recipe;
    if (load(&recipe, data, size) != SAC_OK) return 0;
    for (int i = 0; i < recipe->part_count; i++)
    {
        const sac_recipe_part *part = &recipe->parts[i];
        sac_recipe_beginning begin;
        char path[SAC_PATH_SIZE];
        fuzz_require(sac_recipe_vector(part, "runs", path) == SAC_OK);
        const sac_status status = sac_recipe_begin(&begin, recipe, i, ".", "runs");
        fuzz_require(status == SAC_OK || status == SAC_ERROR_ARGUMENT);
        if (status == SAC_OK && part->uptrains) check_uptraining(part, &begin);
    }
    sac_recipe_destroy(recipe);
    return 0;
}
