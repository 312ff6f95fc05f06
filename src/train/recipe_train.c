#include "train/recipe_train.h"

#include <string.h>

#include "base/error.h"
#include "files/atomic.h"
#include "train/uptrain_part.h"

/// A recipe carried out: every part is a run of its own, or an up-training, and begins with what the parts before it
/// have left.

/// One part under way.
typedef struct work
{
    const sac_recipe_def *def;
    int part;
} work;

static void report(void *user, const sac_progress *progress)
{
    const work *w = user;
    if (w->def->progress) w->def->progress(w->def->user, w->part, progress);
}

static void report_uptraining(void *user, const char *phase, uint64_t step, uint64_t steps, double loss)
{
    (void)loss;
    const work *w = user;
    if (w->def->uptrain_progress) w->def->uptrain_progress(w->def->user, w->part, phase, step, steps);
}

static sac_status load_task(sac_task **task, const sac_recipe *recipe, const sac_recipe_def *def, int index)
{
    const sac_recipe_part *part = &recipe->parts[index];
    sac_setting settings[RECIPE_SETTINGS + 2];
    sac_recipe_beginning begin;
    char path[SAC_PATH_SIZE];
    *task = NULL;
    SAC_TRY(sac_recipe_begin(&begin, recipe, index, def->root, def->runs));
    memcpy(settings, part->settings, sizeof part->settings);
    memcpy(settings + part->setting_count, begin.settings, sizeof begin.settings);
    int count = part->setting_count + begin.setting_count;
    SAC_TRY(sac_join_path(path, def->root, part->task));
    return sac_task_load(task, path, settings, count);
}

static sac_status train_part(const sac_recipe *recipe, const sac_recipe_def *def, int index, uint64_t *steps)
{
    const sac_recipe_part *part = &recipe->parts[index];
    work w = {.def = def, .part = index};
    char folder[SAC_PATH_SIZE];
    sac_task *task;
    SAC_TRY(sac_join_path(folder, def->runs, part->run));
    SAC_TRY(load_task(&task, recipe, def, index));
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = folder,
                                                   .resume = true,
                                                   .threads = def->threads,
                                                   .generations = (uint64_t)part->generations,
                                                   .progress = report,
                                                   .user = &w,
                                                   .interrupt = def->interrupt});
    sac_task_destroy(task);
    SAC_TRY(status);
    sac_run_summary summary;
    SAC_TRY(sac_run_summarise(&summary, folder));
    *steps = summary.steps;
    return SAC_OK;
}

static sac_status uptrain_part(const sac_recipe *recipe, const sac_recipe_def *def, int index, uint64_t *steps)
{
    work w = {.def = def, .part = index};
    sac_recipe_beginning begin;
    char out[SAC_PATH_SIZE];
    SAC_TRY(sac_recipe_begin(&begin, recipe, index, def->root, def->runs));
    SAC_TRY(sac_recipe_vector(&recipe->parts[index], def->runs, out));
    sac_uptrain_def how = sac_uptrain_default_def();
    how.threads = def->threads;
    how.interrupt = def->interrupt;
    how.progress = report_uptraining;
    how.user = &w;
    return sac_uptrain_part(&recipe->parts[index], begin.start, out, &how, steps);
}

static sac_status carry_out(const sac_recipe *recipe, const sac_recipe_def *def, int index, uint64_t *steps)
{
    return (recipe->parts[index].uptrains ? uptrain_part : train_part)(recipe, def, index, steps);
}

static sac_status check_part(const sac_recipe *recipe, const sac_recipe_def *def, int index)
{
    sac_task *task;
    sac_recipe_beginning begin;
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_recipe_vector(&recipe->parts[index], def->runs, path));
    if (recipe->parts[index].uptrains) return sac_recipe_begin(&begin, recipe, index, def->root, def->runs);
    SAC_TRY(load_task(&task, recipe, def, index));
    sac_task_destroy(task);
    return SAC_OK;
}

// Checks all paths first, so that nothing fails only after hours of training.
static sac_status check_paths(const sac_recipe *recipe, const sac_recipe_def *def)
{
    for (int i = 0; i < recipe->part_count; i++) SAC_TRY(check_part(recipe, def, i));
    return SAC_OK;
}

sac_status sac_recipe_train(const sac_recipe *recipe, const sac_recipe_def *def, sac_policy **policy, uint64_t *steps)
{
    *policy = NULL;
    SAC_TRY(check_paths(recipe, def));
    for (int i = 0; i < recipe->part_count; i++) SAC_TRY(carry_out(recipe, def, i, &steps[i]));
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_recipe_vector(&recipe->parts[recipe->part_count - 1], def->runs, path));
    return sac_policy_load(policy, NULL, path);
}
