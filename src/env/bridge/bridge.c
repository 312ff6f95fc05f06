#include "env/bridge/bridge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

enum
{
    DEFAULT_STEPS = 10000,
    SAMPLES = 128, // words of an observation that a repeated step is compared by
    WORD = sizeof(uint64_t)
};

struct sac_bridge
{
    sac_bridge_settings settings;
    char *name, *config;
    sac_worker_def worker_def;
    sac_worker worker;
    sac_worker_spaces spaces;              // of the first worker: the later ones must offer the same
    sac_space observations[SAC_MAX_PARTS]; // point into the spaces
    sac_env_column *columns;
    int max_steps;

    // What the episode has been so far, so that a new worker can repeat it.
    uint64_t seed, next_seed;
    int scene;
    int steps;         // asked for
    float *actions;    // [max_steps, action_size]
    uint64_t *digests; // [max_steps + 1] of what came of the reset and of each step
    int failures, all_failures;
    sac_reason reason; // why the last answer did not come; "": it came
};

static sac_status not_started(sac_bridge *b, sac_status status)
{
    return sac_fail_in(status, "%s", b->name);
}

static sac_status start_worker(sac_bridge *b)
{
    SAC_TRY(sac_worker_start(&b->worker, &b->worker_def));
    if (memcmp(&b->worker.spaces, &b->spaces, sizeof b->spaces) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ENVIRONMENT, "a new worker differs from the first in its spaces or versions (%s, was %s)",
                    b->worker.spaces.versions, b->spaces.versions);
}

static sac_status allocate(sac_bridge *b)
{
    size_t steps = (size_t)b->max_steps, columns = (size_t)b->spaces.column_count;
    b->actions = SAC_NEW_MATRIX(float, steps, (size_t)b->spaces.action_size);
    b->digests = SAC_NEW_ARRAY(uint64_t, steps + 1);
    b->columns = SAC_NEW_ARRAY(sac_env_column, columns);
    if (!b->actions || !b->digests || !b->columns) return sac_fail_memory("an episode's record");
    for (size_t i = 0; i < columns; i++) b->columns[i] = (sac_env_column){b->spaces.columns[i], SAC_COLUMN_DOUBLE};
    return SAC_OK;
}

static sac_status open_bridge(sac_bridge *b, const sac_bridge_def *def)
{
    b->settings = *def->settings;
    b->name = sac_copy_text(def->name);
    b->config = sac_copy_text(def->config);
    if (!b->name || !b->config) return sac_fail_memory("a bridge");
    b->worker_def = (sac_worker_def){b->settings.python, b->config, b->settings.timeout, def->scenario, def->user};
    // A world that cannot run here is not tried again. A worker that has died at the start is.
    sac_status status = sac_worker_start(&b->worker, &b->worker_def);
    for (int i = 0; status == SAC_ERROR_ENVIRONMENT && i < b->settings.restarts; i++)
        status = sac_worker_start(&b->worker, &b->worker_def);
    if (status != SAC_OK) return not_started(b, status);
    memcpy(&b->spaces, &b->worker.spaces, sizeof b->spaces);
    sac_worker_observations(&b->spaces, b->observations);
    b->max_steps = def->max_steps ? def->max_steps : b->spaces.max_steps ? b->spaces.max_steps : DEFAULT_STEPS;
    return allocate(b);
}

sac_status sac_bridge_create(sac_bridge **out, const sac_bridge_def *def)
{
    *out = NULL;
    sac_bridge *b = SAC_NEW(sac_bridge);
    if (!b) return sac_fail_memory("a bridge");
    sac_status status = open_bridge(b, def);
    if (status == SAC_OK)
        *out = b;
    else
        sac_bridge_destroy(b);
    return status;
}

void sac_bridge_destroy(sac_bridge *b)
{
    if (!b) return;
    sac_worker_stop(&b->worker, false);
    sac_free(b->name);
    sac_free(b->config);
    sac_free(b->columns);
    sac_free(b->actions);
    sac_free(b->digests);
    sac_free(b);
}

int sac_bridge_lanes(const sac_bridge_settings *settings)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return settings->workers ? settings->workers : processors > 1 ? (int)processors : 1;
}

void sac_bridge_spec(const sac_bridge *b, sac_env_spec *spec)
{
    const sac_worker_spaces *s = &b->spaces;
    *spec = (sac_env_spec){.observations = b->observations,
                           .observation_count = s->part_count,
                           .action_size = s->action_size,
                           .action_choices = s->action_choices,
                           .action_low = s->low,
                           .action_high = s->high,
                           .max_steps = b->max_steps,
                           .columns = b->columns,
                           .column_count = s->column_count,
                           .lanes = sac_bridge_lanes(&b->settings)};
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

// Mixes words that are spread over a part of the observation into a digest.
static uint64_t mix_part(uint64_t hash, const uint8_t *part, size_t size)
{
    uint64_t word;
    size_t words = size / WORD, stride = words / SAMPLES + 1;
    for (size_t i = 0; i < words; i += stride)
    {
        memcpy(&word, part + i * WORD, WORD);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, part + words * WORD, size % WORD);
    return mix(hash, word);
}

// The digest of what came of a step: reward, ends, columns, and words of each part.
static uint64_t digest(const sac_bridge *b)
{
    const sac_worker *w = &b->worker;
    uint64_t hash = (uint64_t)(w->ends[0] != 0) << 1 | (w->ends[1] != 0), word;
    memcpy(&word, w->reward, WORD);
    hash = mix(hash, word);
    for (int i = 0; i < b->spaces.column_count; i++)
    {
        memcpy(&word, &w->columns[i], WORD);
        hash = mix(hash, word);
    }
    for (int i = 0; i < b->spaces.part_count; i++)
        hash = mix_part(hash, w->parts[i], sac_space_bytes(&b->observations[i]));
    return hash;
}

// Asks the worker for a step of the episode; step 0 is the reset.
static void ask(sac_bridge *b, int step)
{
    sac_worker *w = &b->worker;
    size_t size = (size_t)b->spaces.action_size;
    if (step > 0)
        memcpy(w->action, b->actions + (size_t)(step - 1) * size, sizeof(float) * size);
    else
    {
        *w->seed = b->seed;
        *w->scene = (uint32_t)b->scene;
        *w->reward = 0;
        w->ends[0] = w->ends[1] = 0;
    }
    sac_worker_ask(w, step > 0 ? 's' : 'r');
}

// Waits for the answer. A worker that gives none is ended, with all that it has started.
static bool answered(sac_bridge *b)
{
    b->reason.text[0] = 0;
    if (sac_worker_wait(&b->worker, b->settings.timeout, &b->reason)) return true;
    sac_worker_stop(&b->worker, true);
    return false;
}

// Lets a fresh worker play the episode up to the step that was asked for last.
static sac_status repeat(sac_bridge *b, bool *done)
{
    *done = false;
    sac_worker_stop(&b->worker, true);
    if (start_worker(b) != SAC_OK)
    {
        snprintf(b->reason.text, sizeof b->reason.text, "%.500s", sac_last_error());
        return SAC_OK;
    }
    for (int step = 0; step <= b->steps; step++)
    {
        ask(b, step);
        if (!answered(b)) return SAC_OK;
        if (step < b->steps && digest(b) != b->digests[step])
            return sac_fail(SAC_ERROR_ENVIRONMENT,
                            "%s: its worker failed in episode %llu, and step %d of the repeated episode came out "
                            "differently: the world is not deterministic",
                            b->name, (unsigned long long)b->seed, step);
    }
    *done = true;
    return SAC_OK;
}

static sac_status recover(sac_bridge *b)
{
    sac_reason *reason = &b->reason;
    bool done = false;
    while (!done)
    {
        b->all_failures++;
        if (++b->failures > b->settings.restarts)
        {
            sac_worker_stop(&b->worker, true);
            return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: episode %llu, step %d: %s (failure %d, %d allowed)", b->name,
                            (unsigned long long)b->seed, b->steps, reason->text, b->failures, b->settings.restarts);
        }
        sac_log(SAC_LOG_WARNING, "%s: episode %llu, step %d: %s; repeated with a new worker", b->name,
                (unsigned long long)b->seed, b->steps, reason->text);
        SAC_TRY(repeat(b, &done));
    }
    return SAC_OK;
}

// Hands over the results of the step that was asked for.
static sac_status finish(sac_bridge *b, const sac_env_row *row)
{
    if (b->reason.text[0]) SAC_TRY(recover(b));
    const sac_worker *w = &b->worker;
    b->digests[b->steps] = digest(b);
    for (int i = 0; i < b->spaces.part_count; i++)
        if (row->parts[i]) memcpy(row->parts[i], w->parts[i], sac_space_bytes(&b->observations[i]));
    *row->reward = *w->reward;
    *row->terminated = w->ends[0] != 0;
    *row->truncated = !*row->terminated && (w->ends[1] != 0 || b->steps == b->max_steps);
    return SAC_OK;
}

void sac_bridge_set_scene(sac_bridge *b, int scene)
{
    b->scene = scene;
}

sac_status sac_bridge_reset(sac_bridge *b, uint64_t seed, const sac_env_row *row)
{
    b->seed = seed == SAC_SEED_NEXT ? b->next_seed : seed;
    b->next_seed = sac_mix_seed(b->seed, 0, 1) >> 1;
    b->steps = b->failures = 0;
    if (!b->worker.memory)
    {
        // A failure in the last episode has ended the worker.
        sac_status status = start_worker(b);
        if (status != SAC_OK) return not_started(b, status);
    }
    ask(b, 0);
    answered(b);
    return finish(b, row);
}

sac_status sac_bridge_step(sac_bridge *const *bridges, const sac_env_row *rows, int count)
{
    for (int i = 0; i < count; i++)
    {
        sac_bridge *b = bridges[i];
        size_t size = (size_t)b->spaces.action_size;
        SAC_ASSERT(b->steps < b->max_steps);
        if (!b->worker.memory) return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: stepped after its failure", b->name);
        memcpy(b->actions + (size_t)b->steps * size, rows[i].action, sizeof(float) * size);
        ask(b, ++b->steps);
    }
    // Every answer is waited for before anything is repeated, so that none is left over and every failed worker is
    // gone.
    for (int i = 0; i < count; i++) answered(bridges[i]);
    sac_status first = SAC_OK;
    for (int i = 0; i < count; i++)
    {
        sac_status status = finish(bridges[i], &rows[i]);
        if (first == SAC_OK) first = status;
    }
    return first;
}

sac_status sac_bridge_follow(sac_bridge *b, const sac_bridge *other)
{
    double reward;
    uint8_t ends[2];
    void *nothing[SAC_MAX_PARTS] = {NULL};
    sac_env_row row = {NULL, nothing, &reward, &ends[0], &ends[1]};
    b->scene = other->scene;
    SAC_TRY(sac_bridge_reset(b, other->seed, &row));
    for (int step = 0; step < other->steps; step++)
    {
        row.action = other->actions + (size_t)step * (size_t)other->spaces.action_size;
        SAC_TRY(sac_bridge_step(&b, &row, 1));
    }
    return SAC_OK;
}

const double *sac_bridge_columns(const sac_bridge *b)
{
    return b->worker.memory ? b->worker.columns : NULL;
}

int sac_bridge_failures(const sac_bridge *b)
{
    return b->all_failures;
}
