#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/contrast/contrast.h"

/// The pictures that are learned from.

enum
{
    MOST_SETTINGS = 64
};

/// A task's settings of its world and those of the views behind them, which come last and so count.
typedef struct views
{
    char text[SAC_TEXT_SIZE];
    sac_setting settings[MOST_SETTINGS];
    int count;
} views;

static sac_status read_views(views *v, const sac_run *r)
{
    const sac_env_def task = sac_task_env_def(r->task);
    char *rest = NULL;
    snprintf(v->text, sizeof v->text, "%s", sac_contrast_of(r)->options.views);
    for (char *word = strtok_r(v->text, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest))
    {
        char *equal = strchr(word, '=');
        if (!equal || v->count == MOST_SETTINGS)
            return sac_fail(SAC_ERROR_ARGUMENT, "search.views: '%.60s', expected OPTION=VALUE and %d at most", word,
                            MOST_SETTINGS);
        *equal = 0;
        v->settings[v->count++] = (sac_setting){word, equal + 1};
    }
    const int own = v->count;
    for (int i = 0; i < task.setting_count; i++)
    {
        bool replaced = false;
        for (int k = 0; k < own; k++) replaced = replaced || strcmp(v->settings[k].key, task.settings[i].key) == 0;
        if (replaced) continue;
        if (v->count == MOST_SETTINGS)
            return sac_fail(SAC_ERROR_ARGUMENT, "search.views: more than %d settings", MOST_SETTINGS);
        v->settings[v->count++] = task.settings[i];
    }
    return SAC_OK;
}

static sac_status find_parts(sac_contrast *c, const sac_env_spec *spec, const char *world)
{
    static const char *const names[CONTRAST_PARTS] = {"image", "words", "name", "shown"};
    for (int i = 0; i < CONTRAST_PARTS; i++)
    {
        c->parts[i] = sac_space_find(spec->observations, spec->observation_count, names[i]);
        if (c->parts[i] < 0)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "search.method: contrast learns from the parts image, words, name and shown, and %s has no "
                            "'%s' (rooms has them with things)",
                            world, names[i]);
    }
    const sac_space *shown = &spec->observations[c->parts[CONTRAST_SHOWN]];
    c->names = spec->observations[c->parts[CONTRAST_NAME]].choices;
    c->cells[0] = shown->shape[0] / c->encoder->rows;
    c->cells[1] = shown->shape[1] / c->encoder->columns;
    return SAC_OK;
}

static sac_status open_eye(sac_contrast *c, contrast_eye *eye, const sac_env_def *def)
{
    SAC_TRY(sac_env_create(&eye->env, def));
    const sac_env_spec *spec = sac_env_get_spec(eye->env);
    SAC_TRY(find_parts(c, spec, def->id));
    eye->shown = SAC_NEW_ARRAY(float, sac_space_size(&spec->observations[c->parts[CONTRAST_SHOWN]]));
    eye->action = SAC_NEW_ARRAY(float, (size_t)spec->action_size);
    if (!eye->shown || !eye->action) return sac_fail_memory("pictures");
    eye->row = (sac_env_row){.parts = eye->parts,
                             .action = eye->action,
                             .reward = &eye->reward,
                             .terminated = &eye->ended[0],
                             .truncated = &eye->ended[1]};
    eye->parts[c->parts[CONTRAST_SHOWN]] = eye->shown;
    eye->parts[c->parts[CONTRAST_NAME]] = &eye->name;
    return SAC_OK;
}

sac_status sac_contrast_open(sac_run *r)
{
    sac_contrast *c = sac_contrast_of(r);
    const words_encoder *e = c->encoder;
    const size_t count = (size_t)c->options.pictures;
    const int threads = sac_threads_count(c->threads);
    views v = {.count = 0};
    SAC_TRY(read_views(&v, r));
    sac_env_def def = sac_task_env_def(r->task);
    def.settings = v.settings;
    def.setting_count = v.count;
    c->eyes = SAC_NEW_ARRAY(contrast_eye, (size_t)threads);
    c->pool = (contrast_pool){
        .pictures = SAC_NEW_MATRIX(uint8_t, count, (size_t)e->height * (size_t)e->width * (size_t)e->channels),
        .bags = SAC_NEW_MATRIX(float, count, (size_t)e->words),
        .names = SAC_NEW_ARRAY(int, count),
        .shown = SAC_NEW_MATRIX(int, count, (size_t)e->count)};
    if (!c->eyes || !c->pool.pictures || !c->pool.bags || !c->pool.names || !c->pool.shown)
        return sac_fail_memory("pictures");
    for (int i = 0; i < threads; i++) SAC_TRY(open_eye(c, &c->eyes[i], &def));
    return SAC_OK;
}

void sac_contrast_close(sac_contrast *c)
{
    for (int i = 0; c->eyes && i < sac_threads_count(c->threads); i++)
    {
        sac_env_destroy(c->eyes[i].env);
        sac_free(c->eyes[i].shown);
        sac_free(c->eyes[i].action);
    }
    sac_free(c->eyes);
    sac_free(c->pool.pictures);
    sac_free(c->pool.bags);
    sac_free(c->pool.names);
    sac_free(c->pool.shown);
}

// What a patch shows: the name that most of its pixels have which have any, where these are at least half of them
static int label(const sac_contrast *c, const float *shown, int patch)
{
    const int rows = c->cells[0], columns = c->cells[1], pitch = c->encoder->columns * columns;
    const float *first = shown + (ptrdiff_t)(patch / c->encoder->columns) * rows * pitch +
                         (ptrdiff_t)(patch % c->encoder->columns) * columns;
    int best = 0, most = 0;
    for (int i = 0; i < rows * columns; i++)
    {
        const int name = (int)first[(ptrdiff_t)(i / columns) * pitch + i % columns];
        int count = 0;
        for (int k = 0; k < rows * columns; k++)
            count += name > 0 && (int)first[(ptrdiff_t)(k / columns) * pitch + k % columns] == name;
        if (count > most) most = count, best = name;
    }
    if (most == 0) return WORDS_NOTHING;
    return 2 * most >= rows * columns ? best - 1 : WORDS_HALF;
}

static sac_status draw_one(sac_contrast *c, contrast_eye *eye, int index, uint64_t seed)
{
    const words_encoder *e = c->encoder;
    const size_t pixels = (size_t)e->height * (size_t)e->width * (size_t)e->channels;
    eye->parts[c->parts[CONTRAST_IMAGE]] = c->pool.pictures + (size_t)index * pixels;
    eye->parts[c->parts[CONTRAST_WORDS]] = c->pool.bags + (ptrdiff_t)index * e->words;
    SAC_TRY(sac_env_reset(eye->env, seed, &eye->row));
    c->pool.names[index] = (int)eye->name;
    for (int i = 0; i < e->count; i++) c->pool.shown[(ptrdiff_t)index * e->count + i] = label(c, eye->shown, i);
    return SAC_OK;
}

static void draw(void *user, int thread)
{
    const sac_run *r = user;
    sac_contrast *c = sac_contrast_of(r);
    contrast_eye *eye = &c->eyes[thread];
    eye->status = SAC_OK;
    for (int i = thread; i < c->options.pictures && eye->status == SAC_OK; i += sac_threads_count(c->threads))
    {
        const uint64_t mixed =
            sac_mix_seed(sac_mix_seed(r->task->train.seed, SAC_RUN_EPISODES, 0), c->round, (uint64_t)i);
        eye->status = draw_one(c, eye, i, SAC_TRAINING_SEED_FIRST + (mixed >> 12));
    }
    if (eye->status != SAC_OK) snprintf(eye->failure, sizeof eye->failure, "%s", sac_last_error());
}

sac_status sac_contrast_draw(sac_run *r, uint64_t round)
{
    sac_contrast *c = sac_contrast_of(r);
    c->round = round;
    sac_threads_run(c->threads, draw, r);
    for (int i = 0; i < sac_threads_count(c->threads); i++)
        if (c->eyes[i].status != SAC_OK) return sac_fail(c->eyes[i].status, "%s", c->eyes[i].failure);
    return SAC_OK;
}
