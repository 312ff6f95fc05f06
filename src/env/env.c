#include "saccade/env.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "env/check.h"
#include "env/instance.h"
#include "env/registry.h"

enum
{
    MAX_REGISTERED = 64,
    MAX_BATCH = 256
};

/// The built-in environments.
static const sac_env_ops *const built_in[] = {
    &sac_car_racing_ops,   &sac_toy_ops,         &sac_take_cover_ops,       &sac_gym_ops,
    &sac_cheetah_run_ops,  &sac_walker_walk_ops, &sac_cartpole_swingup_ops, &sac_ball_in_cup_catch_ops,
    &sac_reacher_easy_ops, &sac_finger_spin_ops, &sac_quadruped_walk_ops,
};

enum
{
    BUILT_IN_COUNT = sizeof built_in / sizeof *built_in
};

static const sac_env_ops *registered[MAX_REGISTERED];
static int registered_count;

int sac_env_count(void)
{
    return BUILT_IN_COUNT + registered_count;
}

const sac_env_ops *sac_env_at(int index)
{
    SAC_ASSERT(index >= 0 && index < sac_env_count());
    return index < BUILT_IN_COUNT ? built_in[index] : registered[index - BUILT_IN_COUNT];
}

// what follows a name that stands for many, such as "gym:"; NULL: it is no such name, or another's id
static const char *rest_of(const sac_env_ops *ops, const char *id)
{
    size_t length = strlen(ops->name);
    bool open = length > 0 && ops->name[length - 1] == ':';
    return open && strncmp(ops->name, id, length) == 0 ? id + length : NULL;
}

const sac_env_ops *sac_env_find(const char *id)
{
    for (int i = 0; i < sac_env_count(); i++)
        if (strcmp(sac_env_at(i)->name, id) == 0 || rest_of(sac_env_at(i), id)) return sac_env_at(i);
    return NULL;
}

static const char *name_at(const void *user, int index)
{
    (void)user;
    return index < sac_env_count() ? sac_env_at(index)->name : NULL;
}

sac_status sac_env_register(const sac_env_ops *ops)
{
    SAC_TRY(sac_env_check_ops(ops));
    if (sac_env_find(ops->name)) return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': the name is taken", ops->name);
    if (registered_count == MAX_REGISTERED)
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': more than %d registered", ops->name, MAX_REGISTERED);
    registered[registered_count++] = ops;
    return SAC_OK;
}

void sac_env_unregister_last(int count)
{
    SAC_ASSERT(count >= 0 && count <= registered_count);
    registered_count -= count;
}

// what the environment offers, as every caller may rely on it
static sac_status read_spec(sac_env *env)
{
    env->ops->spec(env->self, &env->spec);
    SAC_TRY(sac_env_check_spec(env->ops, &env->spec));
    env->choice[1] = (float)(env->spec.action_choices - 1);
    if (!env->spec.action_low) env->spec.action_low = &env->choice[0];
    if (!env->spec.action_high) env->spec.action_high = &env->choice[1];
    return SAC_OK;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (size_t i = 0, size = strlen(text) + 1; i < size; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3; // FNV-1a
    return hash;
}

// the same for all environments of one def, however its options were written
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

sac_status sac_env_create(sac_env **out, const sac_env_def *def)
{
    *out = NULL;
    const sac_env_ops *ops = sac_env_find(def->id);
    if (!ops)
    {
        const char *meant = sac_did_you_mean(sac_nearest(def->id, name_at, NULL));
        return sac_fail(SAC_ERROR_ARGUMENT, "unknown environment '%.80s'%s", def->id,
                        meant[0] ? meant : "; one that is not built in comes with a plugin, which is not loaded");
    }

    static const sac_option none[] = {{0}};
    sac_env *env = SAC_NEW(sac_env);
    void *config = sac_alloc(ops->config_size);
    sac_status status = env && config ? SAC_OK : sac_fail_memory("an environment");
    if (status == SAC_OK)
        status =
            sac_options_read(ops->options ? ops->options : none, config, def->settings, def->setting_count, ops->name);
    const char *rest = rest_of(ops, def->id);
    if (status == SAC_OK && rest) status = sac_options_set(ops->options, config, "name", rest, ops->name);
    if (status == SAC_OK && rest && !rest[0])
        status = sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': a name must follow", ops->name);
    uint64_t failures = sac_failure_count();
    if (status == SAC_OK)
        status = sac_outcome(ops->create(&env->self, config, def->variant ? def->variant : "original"), failures,
                             ops->name, "create");
    if (status == SAC_OK) env->def = hash_def(def, ops->options ? ops->options : none, config);
    sac_free(config);
    if (status != SAC_OK)
    {
        sac_free(env);
        return status;
    }
    env->ops = ops;
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

// what a step finds in its row, and what it leaves to the environment to write
static void begin_step(sac_env *env, const sac_env_row *row)
{
    env->last_observation = row->observation;
    *row->reward = 0;
    *row->terminated = *row->truncated = 0;
}

// the one place where episodes are kept from going on for ever
static void end_step(sac_env *env, const sac_env_row *row)
{
    if (++env->steps >= env->spec.max_steps && !*row->terminated) *row->truncated = 1;
}

sac_status sac_env_reset(sac_env *env, uint64_t seed, const sac_env_row *row)
{
    uint64_t failures = sac_failure_count();
    begin_step(env, row);
    env->steps = 0;
    SAC_TRY(sac_outcome(env->ops->reset(env->self, seed, row), failures, env->ops->name, "reset"));
    env->started = true;
    return SAC_OK;
}

sac_status sac_env_step(sac_env *env, const sac_env_row *row)
{
    uint64_t failures = sac_failure_count();
    begin_step(env, row);
    SAC_TRY(sac_outcome(env->ops->step(env->self, row), failures, env->ops->name, "step"));
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
        int part = count - first < MAX_BATCH ? count - first : MAX_BATCH;
        for (int i = 0; i < part; i++)
        {
            SAC_ASSERT(envs[first + i]->ops == envs[0]->ops);
            begin_step(envs[first + i], &rows[first + i]);
            selves[i] = envs[first + i]->self;
        }
        uint64_t failures = sac_failure_count();
        const sac_env_ops *ops = envs[0]->ops;
        SAC_TRY(sac_outcome(ops->step_batch(selves, rows + first, part), failures, ops->name, "step"));
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
    return sac_outcome(env->ops->set_state(env->self, fields, count, row), failures, env->ops->name, "set_state");
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
    if (!env->last_observation) return sac_fail(SAC_ERROR_ARGUMENT, "%s: picture before reset", env->ops->name);

    const sac_env_spec *spec = &env->spec;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            size_t pixel =
                (size_t)(y * spec->height / height) * (size_t)spec->width + (size_t)(x * spec->width / width);
            for (int c = 0; c < 3; c++)
                *rgb++ = env->last_observation[pixel * (size_t)spec->channels + (size_t)(spec->channels >= 3 ? c : 0)];
        }
    return SAC_OK;
}
