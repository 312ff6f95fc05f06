#include "run/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/checksum.h"
#include "methods/uptrain_options.h"

/// Recipes of trained policies: reading one. train/recipe_train.c carries it out.

static const sac_option part_options[] = {
    {"run", SAC_OPTION_TEXT, offsetof(sac_recipe_part, run), "", 0, 0, NULL, "name of its run folder"},
    {"task", SAC_OPTION_TEXT, offsetof(sac_recipe_part, task), "", 0, 0, NULL, "the task file"},
    {"teacher", SAC_OPTION_TEXT, offsetof(sac_recipe_part, teacher), "", 0, 0, NULL, "the part that it learns from"},
    {"start", SAC_OPTION_TEXT, offsetof(sac_recipe_part, start), "", 0, 0, NULL,
     "the part whose vector it starts from"},
    {"generations", SAC_OPTION_INT, offsetof(sac_recipe_part, generations), "0", 1, 100000000, NULL, "in total"},
    {"steps", SAC_OPTION_SEED, offsetof(sac_recipe_part, steps), "0", 0, 0, NULL, "environment steps that it takes"},
    {"vector", SAC_OPTION_TEXT, offsetof(sac_recipe_part, vector), "", 0, 0, "best mean", "the one that is taken"},
    {0},
};

static const sac_option score_options[] = {
    {"variant", SAC_OPTION_TEXT, offsetof(sac_recipe_score, variant), "", 0, 0, NULL, "of the world"},
    {"mean", SAC_OPTION_REAL, offsetof(sac_recipe_score, mean), "0", -1e300, 1e300, NULL, "of the returns"},
    {"std", SAC_OPTION_REAL, offsetof(sac_recipe_score, std), "0", 0, 1e300, NULL, "their standard deviation"},
    {0},
};

static const sac_option recipe_options[] = {
    {"start", SAC_OPTION_TEXT, offsetof(sac_recipe, start), "", 0, 0, NULL, "a policy file"},
    {"verified.date", SAC_OPTION_TEXT, offsetof(sac_recipe, verified_date), "", 0, 0, NULL, "when it was"},
    {"verified.parameters", SAC_OPTION_TEXT, offsetof(sac_recipe, verified_hash), "", 0, 0, NULL, "their hash"},
    {"verified.once", SAC_OPTION_BOOL, offsetof(sac_recipe, verified_once), "false", 0, 0, NULL,
     "what ships comes from that run itself"},
    {0},
};

// --- reading ----------------------------------------------------------------------------------------------------

// "set.search.sigma" or "uptrain.frames" of a part. The words of the map before the dot tell what the settings are of,
// so a part has one of the two.
static sac_status add_setting(sac_recipe_part *part, const char *name, const char *value, const char *where)
{
    const bool uptrains = strncmp(name, "uptrain.", 8) == 0;
    const sac_setting setting = {strchr(name, '.') + 1, value};
    sac_uptrain_options options;
    if (part->setting_count > 0 && part->uptrains != uptrains)
        return sac_fail(SAC_ERROR_FORMAT, "%s: a part has 'set', for its task, or 'uptrain', not both", where);
    if (part->setting_count == RECIPE_SETTINGS)
        return sac_fail(SAC_ERROR_FORMAT, "%s: more than %d settings", where, RECIPE_SETTINGS);
    // a task knows its own options; those of up-training are the same everywhere
    if (uptrains) SAC_TRY(sac_uptrain_options_read(&options, &setting, 1, where));
    part->uptrains = uptrains;
    part->settings[part->setting_count++] = setting;
    return SAC_OK;
}

// "parts.0.task" and its like, behind "parts."
static sac_status set_part(sac_recipe *recipe, const char *key, const char *value, const char *where)
{
    char *end;
    long index = strtol(key, &end, 10);
    if (end == key || *end != '.' || index < 0 || index > recipe->part_count || index >= RECIPE_PARTS)
        return sac_fail(SAC_ERROR_FORMAT, "%s: parts is a list of 1 to %d maps, each with run, task and generations",
                        where, RECIPE_PARTS);
    sac_recipe_part *part = &recipe->parts[index];
    if (index == recipe->part_count)
    {
        recipe->part_count++;
        *part = (sac_recipe_part){0};
    }
    const char *name = end + 1;
    if (strcmp(name, "set") == 0 || strcmp(name, "uptrain") == 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: %s takes a map of options, not one value", where, name);
    if (strncmp(name, "set.", 4) == 0 || strncmp(name, "uptrain.", 8) == 0)
        return add_setting(part, name, value, where);
    return sac_options_set(part_options, part, name, value, where);
}

// "scores.0.mean" and its like, behind "scores."
static sac_status set_score(sac_recipe *recipe, const char *key, const char *value, const char *where)
{
    char *end;
    long index = strtol(key, &end, 10);
    if (end == key || *end != '.' || index < 0 || index > recipe->score_count || index >= RECIPE_SCORES)
        return sac_fail(SAC_ERROR_FORMAT, "%s: scores is a list of 1 to %d maps, each with variant, mean and std",
                        where, RECIPE_SCORES);
    if (index == recipe->score_count) recipe->scores[recipe->score_count++] = (sac_recipe_score){0};
    return sac_options_set(score_options, &recipe->scores[index], end + 1, value, where);
}

/// @return the part before `index` whose run is called so; -1: there is none
static int find_part(const sac_recipe *recipe, int index, const char *run)
{
    for (int i = 0; i < index; i++)
        if (strcmp(recipe->parts[i].run, run) == 0) return i;
    return -1;
}

static sac_status check_earlier(const sac_recipe *recipe, int index, const char *key, const char *run, const char *path)
{
    if (!run[0] || find_part(recipe, index, run) >= 0) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%s: part %d: %s: no part before it has the run '%s'", path, index, key, run);
}

// A part that up-trains begins with a policy, meets that policy's world, and leaves one vector.
static sac_status check_uptraining(const sac_recipe *recipe, int index, const char *path)
{
    const sac_recipe_part *part = &recipe->parts[index];
    const char *useless = part->task[0]       ? "task"
                          : part->generations ? "generations"
                          : part->teacher[0]  ? "teacher"
                          : part->vector[0]   ? "vector"
                                              : NULL;
    if (useless) return sac_fail(SAC_ERROR_FORMAT, "%s: part %d up-trains, and takes no %s", path, index, useless);
    bool said = false;
    for (int i = 0; i < part->setting_count; i++) said = said || strcmp(part->settings[i].key, "attention") == 0;
    if (!said) return sac_fail(SAC_ERROR_FORMAT, "%s: part %d: uptrain has no attention", path, index);
    if (strcmp(part->start, RECIPE_NOTHING) != 0 && (part->start[0] || index > 0 || recipe->start[0])) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%s: part %d up-trains, and has no policy to start from", path, index);
}

static sac_status check_there(const sac_recipe_part *part, int index, const char *path)
{
    const char *missing = !part->run[0]                           ? "run"
                          : !part->uptrains && !part->task[0]     ? "task, nor uptrain"
                          : !part->uptrains && !part->generations ? "generations"
                          : part->steps == 0                      ? "steps"
                                                                  : NULL;
    return missing ? sac_fail(SAC_ERROR_FORMAT, "%s: part %d has no %s", path, index, missing) : SAC_OK;
}

static sac_status check(const sac_recipe *recipe, const char *path)
{
    if (recipe->part_count == 0) return sac_fail(SAC_ERROR_FORMAT, "%s: a recipe needs parts", path);
    for (int i = 0; i < recipe->part_count; i++)
    {
        const sac_recipe_part *part = &recipe->parts[i];
        SAC_TRY(check_there(part, i, path));
        if (part->uptrains) SAC_TRY(check_uptraining(recipe, i, path));
        if (strchr(part->run, '/') || part->run[0] == '.')
            return sac_fail(SAC_ERROR_FORMAT, "%s: part %d: '%s' is no name of a folder", path, i, part->run);
        SAC_TRY(check_earlier(recipe, i, "teacher", part->teacher, path));
        if (strcmp(part->start, RECIPE_NOTHING) != 0) SAC_TRY(check_earlier(recipe, i, "start", part->start, path));
        for (int k = 0; k < i; k++)
            if (strcmp(part->run, recipe->parts[k].run) == 0)
                return sac_fail(SAC_ERROR_FORMAT, "%s: two parts have the run %s", path, part->run);
    }
    return SAC_OK;
}

static sac_status fill(sac_recipe *recipe, const char *path)
{
    SAC_TRY(sac_options_read(recipe_options, recipe, NULL, 0, path));
    SAC_TRY(sac_yaml_load(&recipe->yaml, path));
    for (int i = 0; i < sac_yaml_count(recipe->yaml); i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(recipe->yaml, i);
        char where[SAC_TEXT_SIZE];
        snprintf(where, sizeof where, "%.200s:%d", path, entry->line);
        if (strncmp(entry->key, "parts.", 6) == 0)
            SAC_TRY(set_part(recipe, entry->key + 6, entry->value, where));
        else if (strncmp(entry->key, "scores.", 7) == 0)
            SAC_TRY(set_score(recipe, entry->key + 7, entry->value, where));
        else
            SAC_TRY(sac_options_set(recipe_options, recipe, entry->key, entry->value, where));
    }
    return check(recipe, path);
}

sac_status sac_recipe_load(sac_recipe **out, const char *path)
{
    *out = NULL;
    sac_recipe *recipe = SAC_NEW(sac_recipe);
    if (!recipe) return sac_fail_memory("a recipe");
    sac_status status = fill(recipe, path);
    if (status == SAC_OK)
        *out = recipe;
    else
        sac_recipe_destroy(recipe);
    return status;
}

void sac_recipe_destroy(sac_recipe *recipe)
{
    if (!recipe) return;
    sac_yaml_destroy(recipe->yaml);
    sac_free(recipe);
}

uint64_t sac_recipe_steps(const sac_recipe *recipe)
{
    uint64_t steps = 0;
    for (int i = 0; i < recipe->part_count; i++) steps += recipe->parts[i].steps;
    return steps;
}

void sac_recipe_hash(const sac_policy *policy, char hash[17])
{
    size_t bytes = sizeof(float) * (size_t)sac_policy_parameter_count(policy);
    snprintf(hash, 17, "%016" PRIx64, sac_hash_bytes(SAC_HASH_START, sac_policy_parameters(policy), bytes));
}

// --- paths ------------------------------------------------------------------------------------------------------

sac_status sac_recipe_vector(const sac_recipe_part *part, const char *runs, char path[SAC_PATH_SIZE])
{
    const char *vector = part->vector[0] ? part->vector : "best";
    int length = part->uptrains ? snprintf(path, SAC_PATH_SIZE, "%s/%s.safetensors", runs, part->run)
                                : snprintf(path, SAC_PATH_SIZE, "%s/%s/%s.safetensors", runs, part->run, vector);
    return length < SAC_PATH_SIZE
               ? SAC_OK
               : sac_fail(SAC_ERROR_ARGUMENT, "%.100s...: the path is longer than %d bytes", path, SAC_PATH_SIZE - 1);
}

static sac_status write_start(const sac_recipe *recipe, int index, const char *root, const char *runs,
                              char path[SAC_PATH_SIZE])
{
    const sac_recipe_part *part = &recipe->parts[index];
    path[0] = 0;
    if (strcmp(part->start, RECIPE_NOTHING) == 0) return SAC_OK;
    if (part->start[0]) return sac_recipe_vector(&recipe->parts[find_part(recipe, index, part->start)], runs, path);
    if (part->teacher[0]) return SAC_OK; // the vector before it is most often the teacher's
    if (index > 0) return sac_recipe_vector(&recipe->parts[index - 1], runs, path);
    if (!recipe->start[0]) return SAC_OK;
    if (strcmp(root, ".") != 0) return sac_join_path(path, root, recipe->start);
    snprintf(path, SAC_PATH_SIZE, "%s", recipe->start);
    return SAC_OK;
}

static sac_status check_length(int index, const char *option, const char *path)
{
    if (strlen(path) < SAC_TEXT_SIZE) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "%.60s...: part %d begins with this file, whose path has %zu bytes, and the %s of a task has at "
                    "most %d: take a folder with a shorter path",
                    path, index, strlen(path), option, SAC_TEXT_SIZE - 1);
}

sac_status sac_recipe_begin(sac_recipe_beginning *begin, const sac_recipe *recipe, int index, const char *root,
                            const char *runs)
{
    const sac_recipe_part *part = &recipe->parts[index];
    *begin = (sac_recipe_beginning){0};
    SAC_TRY(write_start(recipe, index, root, runs, begin->start));
    if (part->uptrains) return SAC_OK;
    if (part->teacher[0])
        SAC_TRY(sac_recipe_vector(&recipe->parts[find_part(recipe, index, part->teacher)], runs, begin->teacher));
    SAC_TRY(check_length(index, "train.start", begin->start));
    SAC_TRY(check_length(index, "teacher.policy", begin->teacher));
    if (begin->start[0]) begin->settings[begin->setting_count++] = (sac_setting){"train.start", begin->start};
    if (begin->teacher[0]) begin->settings[begin->setting_count++] = (sac_setting){"teacher.policy", begin->teacher};
    return SAC_OK;
}
