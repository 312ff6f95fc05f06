#define _GNU_SOURCE // open_memstream
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/renamed.h"
#include "methods/uptrain_options.h"
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
    WIDTH = 118 ///< of a line, as far as words allow: 120 with what joins it to the next one
};

/// A command that is written word by word, over several lines unless it is to be one.
typedef struct writer
{
    FILE *to;
    size_t column, width;
} writer;

// an option and its value, whose halves stand on one line, in quotes where the shell would take them apart; `key` NULL:
// the value alone
static void write_option(writer *w, const char *option, const char *key, const char *value)
{
    char word[SAC_PATH_SIZE + 2 * SAC_TEXT_SIZE];
    const char *quote = strpbrk(value, " *?$\"\\;&|<>()#~`!{}[]") ? "'" : "";
    snprintf(word, sizeof word, "--%s %s%s%s%s%s", option, quote, key ? key : "", key ? "=" : "", value, quote);
    const bool wraps = w->column + 1 + strlen(word) > w->width;
    if (wraps) w->column = 3;
    fprintf(w->to, "%s%s", wraps ? " \\\n    " : " ", word);
    w->column += 1 + strlen(word);
}

static void write_switch(writer *w, const char *option)
{
    w->column += (size_t)fprintf(w->to, " --%s", option);
}

static sac_status write_uptraining(writer *w, const sac_recipe_part *part, const char *start)
{
    char out[SAC_PATH_SIZE];
    SAC_TRY(sac_recipe_vector(part, "runs", out));
    w->column = (size_t)fprintf(w->to, "saccade uptrain %s", start);
    for (int i = 0; i < part->setting_count; i++)
    {
        const sac_setting *said = &part->settings[i];
        const bool is_switch = sac_option_find(sac_uptrain_option_table, said->key)->type == SAC_OPTION_BOOL;
        if (!is_switch)
            write_option(w, said->key, NULL, said->value);
        else if (strcmp(said->value, "true") == 0)
            write_switch(w, said->key);
    }
    write_option(w, "out", NULL, out);
    return SAC_OK;
}

static sac_status write_part(writer *w, const sac_recipe *recipe, int index)
{
    const sac_recipe_part *part = &recipe->parts[index];
    sac_recipe_beginning begin;
    SAC_TRY(sac_recipe_begin(&begin, recipe, index, ".", "runs"));
    if (part->uptrains) return write_uptraining(w, part, begin.start);
    char run[SAC_PATH_SIZE], generations[16];
    snprintf(run, sizeof run, "runs/%s", part->run);
    snprintf(generations, sizeof generations, "%d", part->generations);
    w->column = (size_t)fprintf(w->to, "saccade %s %s", part->teacher[0] ? "distill" : "train", part->task);
    write_option(w, "run", NULL, run);
    write_option(w, "generations", NULL, generations);
    for (int i = 0; i < begin.setting_count; i++)
        write_option(w, "set", begin.settings[i].key, begin.settings[i].value);
    for (int i = 0; i < part->setting_count; i++)
        write_option(w, "set", part->settings[i].key, part->settings[i].value);
    return SAC_OK;
}

sac_status zoo_list_commands(const sac_recipe *recipe, json_t *list)
{
    for (int i = 0; i < recipe->part_count; i++)
    {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        if (!to) return sac_fail_memory("a command");
        sac_status status = write_part(&(writer){.to = to, .width = SIZE_MAX}, recipe, i);
        const bool whole = fclose(to) == 0;
        if (status == SAC_OK && (!whole || json_array_append_new(list, json_string(text)) != 0))
            status = sac_fail_memory("a command");
        free(text);
        SAC_TRY(status);
    }
    return SAC_OK;
}

static sac_status print_commands(const sac_recipe *recipe)
{
    for (int i = 0; i < recipe->part_count; i++)
    {
        SAC_TRY(write_part(&(writer){.to = stdout, .width = WIDTH}, recipe, i));
        puts("");
    }
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
        if (status == SAC_OK) status = print_commands(recipe);
        sac_recipe_destroy(recipe);
        if (status != SAC_OK) return cli_fail(status);
    }
    return CLI_OK;
}
