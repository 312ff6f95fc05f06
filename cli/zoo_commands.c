#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "run/recipe.h"
#include "zoo.h"

/// saccade zoo --commands: a recipe as a person would type it.

void zoo_recipe_path(char path[ZOO_PATH_SIZE], const char *policy)
{
    static const char suffix[] = ".safetensors";
    size_t length = strlen(policy), end = sizeof suffix - 1;
    bool cut = length > end && strcmp(policy + length - end, suffix) == 0;
    snprintf(path, ZOO_PATH_SIZE, "%.*s.yaml", (int)(cut ? length - end : length), policy);
}

enum
{
    WIDTH = 110 ///< of a line, as far as words allow
};

// a word of a command on the line that it fits, in quotes where the shell would take it apart
static void print_word(size_t *column, const char *key, const char *value)
{
    char word[SAC_PATH_SIZE + 2 * SAC_TEXT_SIZE];
    const char *quote = strpbrk(value, " *?$\"\\;&|<>()#~`!{}[]") ? "'" : "";
    snprintf(word, sizeof word, "--set %s%s=%s%s", quote, key, value, quote);
    bool wraps = *column + 1 + strlen(word) > WIDTH;
    if (wraps) *column = 3;
    printf("%s%s", wraps ? " \\\n    " : " ", word);
    *column += 1 + strlen(word);
}

static sac_status print_part(const sac_recipe *recipe, int index)
{
    const sac_recipe_part *part = &recipe->parts[index];
    sac_recipe_beginning begin;
    SAC_TRY(sac_recipe_begin(&begin, recipe, index, ".", "runs"));
    size_t column = (size_t)printf("saccade %s %s --run runs/%s --generations %d",
                                   part->teacher[0] ? "distill" : "train", part->task, part->run, part->generations);
    for (int i = 0; i < begin.setting_count; i++) print_word(&column, begin.settings[i].key, begin.settings[i].value);
    for (int i = 0; i < part->setting_count; i++) print_word(&column, part->settings[i].key, part->settings[i].value);
    puts("");
    return SAC_OK;
}

int zoo_print_commands(const zoo_choice *zoo)
{
    for (int i = 0; i < zoo->count; i++)
    {
        char path[ZOO_PATH_SIZE];
        sac_recipe *recipe;
        zoo_recipe_path(path, zoo->paths[i]);
        sac_status status = sac_recipe_load(&recipe, path);
        for (int k = 0; status == SAC_OK && k < recipe->part_count; k++) status = print_part(recipe, k);
        sac_recipe_destroy(recipe);
        if (status != SAC_OK) return cli_fail(status);
    }
    return CLI_OK;
}
