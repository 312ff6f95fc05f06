#include "train/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "files/atomic.h"
#include "files/yaml.h"

/// Sweep files: YAML with task, method, samples, seed, seeds, and fields in the sections of a task.

static const sac_option plan_options[] = {
    {"task", SAC_OPTION_TEXT, offsetof(sac_plan, task), NULL, 0, 0, NULL, "the task file"},
    {"method", SAC_OPTION_TEXT, offsetof(sac_plan, method), "grid", 0, 0, "grid random", "all combinations, or draws"},
    {"samples", SAC_OPTION_INT, offsetof(sac_plan, samples), "20", 1, SWEEP_RUNS, NULL, "random: points"},
    {"seed", SAC_OPTION_SEED, offsetof(sac_plan, seed), "1", 0, 0, NULL, "random: of the draws"},
    {0},
};

// "search.sigma.0" -> the field search.sigma and "0"
static sac_status find_field(sac_plan *plan, const char *path, const char *where, sac_sweep_field **field,
                             const char **last)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : 0;
    if (length == 0 || !memchr(path, '.', length))
        return sac_fail(SAC_ERROR_FORMAT,
                        "%s: fields.%.80s: expected a section and a key with a list of values, such as "
                        "search: {sigma: [0.05, 0.1]}",
                        where, path);
    *last = dot + 1;
    for (int i = 0; i < plan->field_count; i++)
    {
        *field = &plan->fields[i];
        if (strlen((*field)->key) == length && strncmp((*field)->key, path, length) == 0) return SAC_OK;
    }
    if (plan->field_count == SWEEP_FIELDS)
        return sac_fail(SAC_ERROR_FORMAT, "%s: more than %d fields", where, SWEEP_FIELDS);
    *field = &plan->fields[plan->field_count++];
    snprintf((*field)->key, SAC_TEXT_SIZE, "%.*s", (int)length, path);
    (*field)->low = (*field)->high = NAN;
    return SAC_OK;
}

static sac_status set_field(sac_plan *plan, const char *path, const char *value, const char *where)
{
    static const char *const words[] = {"low", "high", "scale", NULL};
    sac_sweep_field *field = NULL;
    const char *last = NULL;
    SAC_TRY(find_field(plan, path, where, &field, &last));
    if (last[0] >= '0' && last[0] <= '9')
    {
        if (field->count == SWEEP_VALUES)
            return sac_fail(SAC_ERROR_FORMAT, "%s: more than %d values of %s", where, SWEEP_VALUES, field->key);
        snprintf(field->values[field->count++], SAC_TEXT_SIZE, "%s", value);
        return SAC_OK;
    }
    if (strcmp(last, "low") == 0 && sac_parse_real(value, &field->low)) return SAC_OK;
    if (strcmp(last, "high") == 0 && sac_parse_real(value, &field->high)) return SAC_OK;
    if (strcmp(last, "scale") == 0)
    {
        snprintf(field->scale, SAC_TEXT_SIZE, "%s", value);
        return SAC_OK;
    }
    return sac_fail(SAC_ERROR_FORMAT,
                    "%s: fields.%.80s is '%.80s', expected a list of values, or low, high and scale%s", where, path,
                    value, sac_did_you_mean(sac_nearest_of(last, words)));
}

static sac_status set_entry(sac_plan *plan, const sac_yaml_entry *entry, const char *path)
{
    char where[SAC_TEXT_SIZE];
    snprintf(where, sizeof where, "%.200s:%d", path, entry->line);
    if (strncmp(entry->key, "fields.", 7) == 0) return set_field(plan, entry->key + 7, entry->value, where);
    if (strncmp(entry->key, "seeds.", 6) != 0)
        return sac_options_set(plan_options, plan, entry->key, entry->value, where);
    char *end;
    if (plan->seed_count == SWEEP_VALUES)
        return sac_fail(SAC_ERROR_FORMAT, "%s: more than %d seeds", where, SWEEP_VALUES);
    plan->seeds[plan->seed_count++] = strtoull(entry->value, &end, 10);
    return *end || end == entry->value
               ? sac_fail(SAC_ERROR_FORMAT, "%s: seeds: '%.80s' is no seed", where, entry->value)
               : SAC_OK;
}

static sac_status check_field(const sac_plan *plan, const sac_sweep_field *field, const char *path)
{
    static const char *const scales[] = {"linear", "log", "whole", NULL};
    if (field->count > 0) return SAC_OK;
    if (strcmp(plan->method, "random") != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: %s: a grid needs a list of values", path, field->key);
    int scale = 0;
    while (scales[scale] && strcmp(scales[scale], field->scale[0] ? field->scale : "linear") != 0) scale++;
    if (!scales[scale])
        return sac_fail(SAC_ERROR_FORMAT, "%s: %s: scale is '%.40s', expected linear, log or whole", path, field->key,
                        field->scale);
    if (!(field->low < field->high) || (scale == 1 && field->low <= 0))
        return sac_fail(SAC_ERROR_FORMAT, "%s: %s: low is %g and high is %g, expected low < high%s", path, field->key,
                        field->low, field->high, scale == 1 ? " and both positive" : "");
    return SAC_OK;
}

static sac_status check(sac_plan *plan, const char *path)
{
    for (int i = 0; i < plan->field_count; i++) SAC_TRY(check_field(plan, &plan->fields[i], path));
    if (plan->seed_count == 0) plan->seeds[plan->seed_count++] = 1;
    double runs = plan->seed_count;
    for (int i = 0; strcmp(plan->method, "grid") == 0 && i < plan->field_count; i++) runs *= plan->fields[i].count;
    if (strcmp(plan->method, "random") == 0) runs *= plan->samples;
    return runs <= SWEEP_RUNS
               ? SAC_OK
               : sac_fail(SAC_ERROR_FORMAT, "%s: %.0f runs, at most %d are allowed", path, runs, SWEEP_RUNS);
}

// refuse a task that was given in place of a sweep over one
static sac_status refuse_task(const char *path)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "%s is a task, not a sweep: 'saccade train' trains it; a sweep file names a task and values of its "
                    "fields, such as {task: %s, fields: {search: {sigma: [0.05, 0.1]}}, seeds: [1, 2]}",
                    path, path);
}

// find the task by its name from the current folder, or else beside the sweep file
static sac_status find_task(sac_plan *plan, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (plan->task[0] == '/' || !slash || access(plan->task, F_OK) == 0) return SAC_OK;
    char folder[SAC_PATH_SIZE], beside[SAC_PATH_SIZE];
    if (snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) >= (int)sizeof folder) return SAC_OK;
    SAC_TRY(sac_join_path(beside, slash == path ? "/" : folder, plan->task));
    if (access(beside, F_OK) != 0)
        return sac_fail(SAC_ERROR_FILE, "%s: the task '%s' is neither in the current folder nor beside the sweep file",
                        path, plan->task);
    memcpy(plan->found, beside, sizeof plan->found);
    return SAC_OK;
}

static sac_status fill(sac_plan *plan, const sac_yaml *yaml, const char *path)
{
    const sac_yaml_entry *task = sac_yaml_find(yaml, "task");
    if (!task && sac_yaml_find(yaml, "env.id")) return refuse_task(path);
    const sac_setting first = {"task", task ? task->value : NULL};
    SAC_TRY(sac_options_read(plan_options, plan, &first, task != NULL, path));
    for (int i = 0; i < sac_yaml_count(yaml); i++) SAC_TRY(set_entry(plan, sac_yaml_at(yaml, i), path));
    SAC_TRY(check(plan, path));
    snprintf(plan->found, sizeof plan->found, "%s", plan->task);
    return find_task(plan, path);
}

sac_status sac_plan_load(sac_plan **out, const char *path)
{
    *out = NULL;
    sac_plan *plan = SAC_NEW(sac_plan);
    if (!plan) return sac_fail_memory("a sweep");
    sac_yaml *yaml = NULL;
    sac_status status = sac_yaml_load(&yaml, path);
    if (status == SAC_OK) status = fill(plan, yaml, path);
    sac_yaml_destroy(yaml);
    if (status != SAC_OK)
    {
        sac_free(plan);
        return status;
    }
    *out = plan;
    return SAC_OK;
}

int sac_plan_points(const sac_plan *plan)
{
    if (strcmp(plan->method, "random") == 0) return plan->samples;
    int points = 1;
    for (int i = 0; i < plan->field_count; i++) points *= plan->fields[i].count;
    return points;
}

void sac_plan_value(const sac_plan *plan, int point, int field, char text[SAC_TEXT_SIZE])
{
    const sac_sweep_field *f = &plan->fields[field];
    bool random = strcmp(plan->method, "random") == 0;
    sac_stream stream = sac_stream_create(plan->seed, (uint64_t)point, (uint64_t)field);
    if (f->count > 0)
    {
        // the last field of a grid changes fastest
        for (int i = plan->field_count - 1; !random && i > field; i--) point /= plan->fields[i].count;
        int value = random ? (int)sac_stream_below(&stream, (uint32_t)f->count) : point % f->count;
        snprintf(text, SAC_TEXT_SIZE, "%s", f->values[value]);
        return;
    }
    double u = sac_stream_uniform(&stream, 0, 1);
    if (strcmp(f->scale, "log") == 0)
        snprintf(text, SAC_TEXT_SIZE, "%.4g", f->low * pow(f->high / f->low, u));
    else if (strcmp(f->scale, "whole") == 0)
        snprintf(text, SAC_TEXT_SIZE, "%.0f", floor(f->low + u * (f->high - f->low + 1)));
    else
        snprintf(text, SAC_TEXT_SIZE, "%.4g", f->low + u * (f->high - f->low));
}
