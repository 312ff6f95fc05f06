#include "saccade/env.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/check.h"
#include "env/instance.h"

enum
{
    MAX_BATCH = 256
};

// Makes the list of parts for a world that gives only the shape of its one picture.
static sac_status list_camera(sac_env *env)
{
    sac_env_spec *spec = &env->spec;
    if (spec->observations) return SAC_OK;
    env->camera =
        (sac_space){.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {spec->height, spec->width, spec->channels}};
    spec->observations = &env->camera;
    spec->observation_count = 1;
    SAC_TRY(sac_env_check_spec(env->ops, spec));
    env->spare[0] = sac_alloc(sac_space_bytes(&env->camera));
    return env->spare[0] ? SAC_OK : sac_fail_memory("an environment's picture");
}

// Chooses the part that people are shown, and takes room to paint it where it is a picture of floats.
static sac_status place_painted(sac_env *env)
{
    const sac_env_spec *spec = &env->spec;
    env->picture = sac_space_find_image(spec->observations, spec->observation_count);
    if (env->ops->picture || env->picture < 0) return SAC_OK;
    const sac_space *shown = &spec->observations[env->picture];
    if (!sac_space_is_floats(shown)) return SAC_OK;
    env->painted = sac_alloc(sac_space_size(shown));
    return env->painted ? SAC_OK : sac_fail_memory("an environment's picture");
}

// Reads what the environment offers and completes it, so that every caller may rely on it.
static sac_status read_spec(sac_env *env)
{
    sac_env_spec *spec = &env->spec;
    env->ops->spec(env->self, spec);
    SAC_TRY(list_camera(env));
    SAC_TRY(sac_env_check_spec(env->ops, spec));
    const int picture = sac_space_find_picture(spec->observations, spec->observation_count);
    const int none[3] = {0}, *shape = picture >= 0 ? spec->observations[picture].shape : none;
    spec->height = shape[0];
    spec->width = shape[1];
    spec->channels = picture >= 0 && shape[2] == 0 ? 1 : shape[2];
    env->choice[1] = (float)(spec->action_choices - 1);
    if (!spec->action_low) spec->action_low = &env->choice[0];
    if (!spec->action_high) spec->action_high = &env->choice[1];
    return place_painted(env);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (size_t i = 0, size = strlen(text) + 1; i < size; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3; // FNV-1a
    return hash;
}

// The hash is the same for all environments of one def, however its options were written.
static uint64_t hash_def(const sac_env_def *def, const sac_option *options, const void *config)
{
    char text[SAC_TEXT_SIZE];
    uint64_t hash = hash_text(0xcbf29ce484222325, def->id);
    hash = hash_text(hash, def->variant ? def->variant : "original");
    for (const sac_option *option = options; option->name; option++)
    {
        sac_options_format(option, config, text);
        hash = hash_text(hash, text);
    }
    return hash;
}

// Creates the world's own self from the def's options. `rest` is the option "name" of a world that stands for many.
static sac_status create_self(sac_env *env, const sac_env_def *def, const char *rest)
{
    static const sac_option none[] = {{0}};
    const sac_env_ops *ops = env->ops;
    const sac_option *options = ops->options ? ops->options : none;
    void *config = sac_alloc(ops->config_size);
    sac_status status = config ? SAC_OK : sac_fail_memory("an environment");
    if (status == SAC_OK) status = sac_options_read(options, config, def->settings, def->setting_count, ops->name);
    if (status == SAC_OK && rest) status = sac_options_set(ops->options, config, "name", rest, ops->name);
    if (status == SAC_OK && rest && !rest[0])
        status = sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': a name must follow", ops->name);
    uint64_t failures = sac_failure_count();
    if (status == SAC_OK)
        status = sac_outcome(ops->create(&env->self, config, def->variant ? def->variant : "original"), failures,
                             ops->name, "create");
    if (status == SAC_OK) env->def = hash_def(def, options, config);
    sac_free(config);
    return status;
}

sac_status sac_env_open(sac_env **out, const sac_env_ops *ops, const sac_env_def *def, const char *rest)
{
    *out = NULL;
    sac_env *env = SAC_NEW(sac_env);
    if (!env) return sac_fail_memory("an environment");
    env->ops = ops;
    sac_status status = create_self(env, def, rest);
    if (status != SAC_OK)
    {
        sac_free(env);
        return status;
    }
    status = read_spec(env);
    env->snapshot_size = sac_env_measure(env);
    if (status == SAC_OK)
        *out = env;
    else
        sac_env_destroy(env);
    return status;
}

void sac_env_destroy(sac_env *env)
{
    if (!env) return;
    env->ops->destroy(env->self);
    sac_free(env->spare[0]);
    sac_free(env->painted);
    sac_free(env);
}

const sac_env_spec *sac_env_get_spec(const sac_env *env)
{
    return &env->spec;
}

const sac_env_ops *sac_env_get_ops(const sac_env *env)
{
    return env->ops;
}

sac_space sac_env_action_space(const sac_env_spec *spec)
{
    sac_space space = {.name = "action",
                       .kind = SAC_SPACE_VECTOR,
                       .shape = {spec->action_size, 1, 1},
                       .low = spec->action_low,
                       .high = spec->action_high};
    if (spec->action_choices > 0) space.kind = SAC_SPACE_CHOICE, space.choices = spec->action_choices;
    return space;
}

// The row as the environment finds it: it always has a list of places, and for a world that gives the shape of its
// picture alone a place for the picture.
static sac_env_row row_for(sac_env *env, const sac_env_row *row)
{
    static void *const nowhere[SAC_MAX_PARTS];
    sac_env_row complete = *row;
    if (env->spare[0] && (!row->parts || !row->parts[0]))
        complete.parts = env->spare;
    else if (!row->parts)
        complete.parts = nowhere;
    return complete;
}

// Prepares the row of a step: a reward of 0 and no end, unless the environment writes others.
static sac_env_row begin_step(sac_env *env, const sac_env_row *row)
{
    sac_env_row complete = row_for(env, row);
    env->last_observation = env->picture >= 0 ? complete.parts[env->picture] : NULL;
    *row->reward = 0;
    *row->terminated = *row->truncated = 0;
    return complete;
}

// This is the one place that keeps episodes from going on for ever.
static void end_step(sac_env *env, const sac_env_row *row)
{
    if (++env->steps >= env->spec.max_steps && !*row->terminated) *row->truncated = 1;
}

sac_status sac_env_reset(sac_env *env, uint64_t seed, const sac_env_row *row)
{
    uint64_t failures = sac_failure_count();
    const sac_env_row complete = begin_step(env, row);
    env->steps = 0;
    SAC_TRY(sac_outcome(env->ops->reset(env->self, seed, &complete), failures, env->ops->name, "reset"));
    env->started = true;
    return SAC_OK;
}

sac_status sac_env_step(sac_env *env, const sac_env_row *row)
{
    uint64_t failures = sac_failure_count();
    const sac_env_row complete = begin_step(env, row);
    SAC_TRY(sac_outcome(env->ops->step(env->self, &complete), failures, env->ops->name, "step"));
    end_step(env, row);
    return SAC_OK;
}

sac_status sac_env_step_batch(sac_env *const *envs, const sac_env_row *rows, int count)
{
    if (count == 0) return SAC_OK;
    if (!envs[0]->ops->step_batch)
    {
        for (int i = 0; i < count; i++) SAC_TRY(sac_env_step(envs[i], &rows[i]));
        return SAC_OK;
    }
    for (int first = 0; first < count; first += MAX_BATCH)
    {
        void *selves[MAX_BATCH];
        sac_env_row complete[MAX_BATCH];
        int part = count - first < MAX_BATCH ? count - first : MAX_BATCH;
        for (int i = 0; i < part; i++)
        {
            SAC_ASSERT(envs[first + i]->ops == envs[0]->ops);
            complete[i] = begin_step(envs[first + i], &rows[first + i]);
            selves[i] = envs[first + i]->self;
        }
        uint64_t failures = sac_failure_count();
        const sac_env_ops *ops = envs[0]->ops;
        SAC_TRY(sac_outcome(ops->step_batch(selves, complete, part), failures, ops->name, "step"));
        for (int i = 0; i < part; i++) end_step(envs[first + i], &rows[first + i]);
    }
    return SAC_OK;
}

bool sac_env_act_precisely(sac_env *env, const double *action)
{
    if (env->ops->precise) env->ops->precise(env->self, action);
    return env->ops->precise != NULL;
}

sac_status sac_env_set_state(sac_env *env, const sac_env_field *fields, int count, const sac_env_row *row)
{
    if (!env->ops->set_state)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s cannot start from a stored state", env->ops->name);
    uint64_t failures = sac_failure_count();
    const sac_env_row complete = row_for(env, row);
    env->last_observation = env->picture >= 0 ? complete.parts[env->picture] : NULL;
    sac_status status = env->ops->set_state(env->self, fields, count, &complete);
    return sac_outcome(status, failures, env->ops->name, "set_state");
}

void sac_env_state(const sac_env *env, double *values)
{
    if (env->ops->state) env->ops->state(env->self, values);
}

sac_status sac_env_picture(sac_env *env, uint8_t *rgb, int height, int width)
{
    uint64_t failures = sac_failure_count();
    if (env->ops->picture)
        return sac_outcome(env->ops->picture(env->self, rgb, height, width), failures, env->ops->name, "picture");
    if (!env->started) return sac_fail(SAC_ERROR_ARGUMENT, "%s: picture before reset", env->ops->name);
    if (!env->last_observation)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: the last row had no place for a picture", env->ops->name);

    const sac_space *shown = &env->spec.observations[env->picture];
    const uint8_t *bytes = env->painted ? env->painted : env->last_observation;
    const int rows = shown->shape[0], columns = shown->shape[1], channels = shown->shape[2] > 0 ? shown->shape[2] : 1;
    if (env->painted) sac_space_paint(shown, env->last_observation, env->painted);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            size_t pixel = (size_t)(y * rows / height) * (size_t)columns + (size_t)(x * columns / width);
            for (int c = 0; c < 3; c++) *rgb++ = bytes[pixel * (size_t)channels + (size_t)(channels >= 3 ? c : 0)];
        }
    return SAC_OK;
}

int sac_env_moments(const sac_env *env)
{
    return env->ops->moments ? env->ops->moments(env->self) : 0;
}

sac_status sac_env_picture_at(sac_env *env, int moment, uint8_t *rgb, int height, int width)
{
    SAC_ASSERT(moment >= 0 && moment < sac_env_moments(env));
    uint64_t failures = sac_failure_count();
    return sac_outcome(env->ops->picture_at(env->self, moment, rgb, height, width), failures, env->ops->name,
                       "picture_at");
}
