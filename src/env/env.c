#include "saccade/env.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
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

struct sac_env
{
    const sac_env_ops *ops;
    void *self;
    sac_env_spec spec;
    const uint8_t *last_observation; // the caller's, for environments without a picture of their own
    uint64_t def;                    // a hash of id, variant and options: what may restore its snapshots
    size_t snapshot_size;            // 0: it cannot be saved
    bool started;                    // it was reset once
};

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
    if (!ops->name || !ops->create || !ops->spec || !ops->reset || !ops->step || !ops->destroy)
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': name, create, spec, reset, step and destroy are needed",
                        ops->name ? ops->name : "");
    if (sac_env_find(ops->name)) return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': the name is taken", ops->name);
    if (registered_count == MAX_REGISTERED)
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': more than %d registered", ops->name, MAX_REGISTERED);
    registered[registered_count++] = ops;
    return SAC_OK;
}

// ---- snapshots: a head that says whose they are, then what the world hands over

void sac_snapshot_part(sac_snapshot *snapshot, void *part, size_t size)
{
    if (snapshot->way == SAC_SNAPSHOT_SAVE) memcpy(snapshot->bytes, part, size);
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) memcpy(part, snapshot->bytes, size);
    if (snapshot->bytes) snapshot->bytes += size;
    snapshot->size += size;
}

typedef struct snapshot_head
{
    uint64_t magic, def, size;
    uint64_t sum; // of what follows: bytes that were changed on the way never reach a world
} snapshot_head;

static const uint64_t snapshot_magic = 0x31736e6170636173; // "sacpans1"

static size_t measure(sac_env *env)
{
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_MEASURE};
    if (!env->ops->snapshot || env->ops->snapshot(env->self, &snapshot) != SAC_OK) return 0;
    return sizeof(snapshot_head) + snapshot.size;
}

size_t sac_env_snapshot_size(const sac_env *env)
{
    return env->snapshot_size;
}

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0, word;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word)
    {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    }
    word = 0;
    memcpy(&word, bytes, size);
    return (sum ^ word) * 0x9e3779b97f4a7c15;
}

static snapshot_head head_of(const sac_env *env, const uint8_t *parts)
{
    size_t size = env->snapshot_size;
    return (snapshot_head){snapshot_magic, env->def, size, sum_of(parts, size - sizeof(snapshot_head))};
}

sac_status sac_env_save(sac_env *env, void *bytes)
{
    if (!env->snapshot_size) return sac_fail(SAC_ERROR_ARGUMENT, "%s cannot be saved", env->ops->name);
    if (!env->started) return sac_fail(SAC_ERROR_ARGUMENT, "%s: reset comes before save", env->ops->name);
    uint8_t *parts = (uint8_t *)bytes + sizeof(snapshot_head);
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_SAVE, .bytes = parts};
    SAC_TRY(env->ops->snapshot(env->self, &snapshot));
    SAC_ASSERT(snapshot.size + sizeof(snapshot_head) == env->snapshot_size);
    snapshot_head head = head_of(env, parts);
    memcpy(bytes, &head, sizeof head);
    return SAC_OK;
}

sac_status sac_env_restore(sac_env *env, const void *bytes, size_t size)
{
    if (!env->snapshot_size) return sac_fail(SAC_ERROR_ARGUMENT, "%s cannot be restored", env->ops->name);
    const uint8_t *parts = (const uint8_t *)bytes + sizeof(snapshot_head);
    snapshot_head head = {0}, found = {0};
    bool fits = size == env->snapshot_size;
    if (fits) memcpy(&found, bytes, sizeof found), head = head_of(env, parts);
    if (!fits || memcmp(&head, &found, sizeof head) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: these %zu bytes are no snapshot of this world with these options",
                        env->ops->name, size);
    // the way in never writes to its bytes
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_RESTORE, .bytes = (uint8_t *)(uintptr_t)parts};
    SAC_TRY(env->ops->snapshot(env->self, &snapshot));
    env->started = true;
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
        return sac_fail(SAC_ERROR_ARGUMENT, "unknown environment '%.80s'%s", def->id,
                        sac_did_you_mean(sac_nearest(def->id, name_at, NULL)));

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
    if (status == SAC_OK) status = ops->create(&env->self, config, def->variant ? def->variant : "original");
    if (status == SAC_OK) env->def = hash_def(def, ops->options ? ops->options : none, config);
    sac_free(config);
    if (status != SAC_OK)
    {
        sac_free(env);
        return status;
    }
    env->ops = ops;
    ops->spec(env->self, &env->spec);
    env->snapshot_size = measure(env);
    *out = env;
    return SAC_OK;
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

sac_status sac_env_reset(sac_env *env, uint64_t seed, const sac_env_row *row)
{
    env->last_observation = row->observation;
    *row->reward = 0;
    *row->terminated = *row->truncated = 0;
    SAC_TRY(env->ops->reset(env->self, seed, row));
    env->started = true;
    return SAC_OK;
}

sac_status sac_env_step(sac_env *env, const sac_env_row *row)
{
    env->last_observation = row->observation;
    return env->ops->step(env->self, row);
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
            envs[first + i]->last_observation = rows[first + i].observation;
            selves[i] = envs[first + i]->self;
        }
        SAC_TRY(envs[0]->ops->step_batch(selves, rows + first, part));
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
    return env->ops->set_state(env->self, fields, count, row);
}

void sac_env_state(const sac_env *env, double *values)
{
    if (env->ops->state) env->ops->state(env->self, values);
}

sac_status sac_env_picture(sac_env *env, uint8_t *rgb, int height, int width)
{
    if (env->ops->picture) return env->ops->picture(env->self, rgb, height, width);
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
