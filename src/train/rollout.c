#include "train/rollout.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    NO_INDIVIDUAL = -1
};

/// One episode under way.
typedef struct lane
{
    sac_policy_state *state;
    sac_unit *unit;
    int individual; // whose parameters the state holds
    int negative;   // rewards below zero in a row
} lane;

/// One thread's episodes: the first `active` rows of each array are under way.
typedef struct crew
{
    int active;
    lane *lanes;
    sac_env **envs;
    sac_env_row *rows;
    uint8_t *observations;
    float *actions;
    double *rewards;
    uint8_t *ends; // [lanes][2]
    float *parameters;
} crew;

struct sac_rollouts
{
    const sac_policy *policy;
    sac_threads *threads;
    int lanes, action_size;
    crew *crews; // one a thread

    const sac_rollout_job *job;
    atomic_int next_unit;
    atomic_bool failed;
    pthread_mutex_t mutex;
    sac_status status;
    char sentence[512];
};

static void report_failure(sac_rollouts *r, sac_status status)
{
    pthread_mutex_lock(&r->mutex);
    if (!atomic_load(&r->failed))
    {
        r->status = status;
        snprintf(r->sentence, sizeof r->sentence, "%s", sac_last_error());
        atomic_store(&r->failed, true);
    }
    pthread_mutex_unlock(&r->mutex);
}

static void swap_lanes(crew *c, int a, int b)
{
    lane l = c->lanes[a];
    c->lanes[a] = c->lanes[b];
    c->lanes[b] = l;
    sac_env *env = c->envs[a];
    c->envs[a] = c->envs[b];
    c->envs[b] = env;
    sac_env_row row = c->rows[a];
    c->rows[a] = c->rows[b];
    c->rows[b] = row;
}

// takes the next unit for lane i; false when there is none left
static bool start_episode(sac_rollouts *r, crew *c, int i, sac_status *status)
{
    const sac_rollout_job *job = r->job;
    int index = atomic_fetch_add(&r->next_unit, 1);
    if (index >= job->unit_count) return false;

    lane *l = &c->lanes[i];
    l->unit = &job->units[index];
    l->unit->episode_return = 0;
    l->unit->steps = 0;
    l->negative = 0;
    if (l->individual != l->unit->individual)
    {
        if (job->parameters)
        {
            job->parameters(job->user, l->unit->individual, c->parameters);
            sac_policy_state_set_parameters(l->state, c->parameters);
        }
        else
            sac_policy_state_set_parameters(l->state, sac_policy_parameters(r->policy));
        l->individual = l->unit->individual;
    }
    sac_policy_state_reset(l->state);
    *status = sac_env_reset(c->envs[i], l->unit->seed, &c->rows[i]);
    return true;
}

static bool is_number(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// adds a step to lane i's unit; true when its episode has ended
static bool take_step(sac_rollouts *r, crew *c, int i)
{
    lane *l = &c->lanes[i];
    const sac_env_row *row = &c->rows[i];
    l->unit->episode_return += *row->reward;
    l->unit->steps++;
    l->negative = *row->reward < 0 ? l->negative + 1 : 0;
    bool impatient = r->job->patience > 0 && l->negative > r->job->patience;
    return *row->terminated || *row->truncated || impatient || isnan(l->unit->episode_return);
}

static sac_status run_crew(sac_rollouts *r, crew *c)
{
    sac_status status = SAC_OK;
    for (int i = 0; i < r->lanes; i++) c->lanes[i].individual = NO_INDIVIDUAL;
    c->active = 0;
    while (c->active < r->lanes && start_episode(r, c, c->active, &status))
    {
        SAC_TRY(status);
        c->active++;
    }

    while (c->active > 0)
    {
        if (atomic_load_explicit(&r->failed, memory_order_relaxed)) return SAC_OK;
        if (r->job->interrupt && *r->job->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");

        for (int i = 0; i < c->active; i++)
        {
            float *action = c->actions + (size_t)(c->rows[i].action - c->actions);
            sac_policy_act(c->lanes[i].state, c->rows[i].observation, action);
            // what is not a number never reaches the world
            if (is_number(action, r->action_size)) continue;
            c->lanes[i].unit->episode_return = NAN;
            memset(action, 0, sizeof(float) * (size_t)r->action_size);
        }
        SAC_TRY(sac_env_step_batch(c->envs, c->rows, c->active));

        for (int i = c->active - 1; i >= 0; i--)
        {
            if (!take_step(r, c, i)) continue;
            if (!start_episode(r, c, i, &status)) swap_lanes(c, i, --c->active);
            SAC_TRY(status);
        }
    }
    return SAC_OK;
}

static void work(void *user, int index)
{
    sac_rollouts *r = user;
    sac_status status = run_crew(r, &r->crews[index]);
    if (status != SAC_OK) report_failure(r, status);
}

sac_status sac_rollouts_run(sac_rollouts *r, const sac_rollout_job *job)
{
    r->job = job;
    r->status = SAC_OK;
    atomic_store(&r->next_unit, 0);
    atomic_store(&r->failed, false);
    sac_threads_run(r->threads, work, r);
    r->job = NULL;
    return r->status == SAC_OK ? SAC_OK : sac_fail(r->status, "%s", r->sentence);
}

static sac_status create_crew(sac_rollouts *r, crew *c, const sac_env_def *env)
{
    size_t lanes = (size_t)r->lanes;
    c->lanes = SAC_NEW_ARRAY(lane, lanes);
    c->envs = SAC_NEW_ARRAY(sac_env *, lanes);
    c->rows = SAC_NEW_ARRAY(sac_env_row, lanes);
    c->rewards = SAC_NEW_ARRAY(double, lanes);
    c->ends = SAC_NEW_ARRAY(uint8_t, 2 * lanes);
    c->parameters = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(r->policy));
    if (!c->lanes || !c->envs || !c->rows || !c->rewards || !c->ends || !c->parameters)
        return sac_fail_memory("rollouts");

    for (size_t i = 0; i < lanes; i++)
    {
        SAC_TRY(sac_env_create(&c->envs[i], env));
        SAC_TRY(sac_policy_state_create(&c->lanes[i].state, r->policy));
    }
    const sac_env_spec *spec = sac_env_get_spec(c->envs[0]);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    if (def->height != spec->height || def->width != spec->width || def->channels != spec->channels ||
        def->action_size != spec->action_size || def->action_choices != spec->action_choices)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the policy is for images of %dx%dx%d and %d actions, '%s' has %dx%dx%d and %d", def->height,
                        def->width, def->channels, def->action_size, env->id, spec->height, spec->width, spec->channels,
                        spec->action_size);

    size_t image = (size_t)spec->height * (size_t)spec->width * (size_t)spec->channels;
    size_t actions = (size_t)spec->action_size;
    r->action_size = spec->action_size;
    c->observations = SAC_NEW_ARRAY(uint8_t, lanes * image);
    c->actions = SAC_NEW_ARRAY(float, lanes *actions);
    if (!c->observations || !c->actions) return sac_fail_memory("observations");
    for (size_t i = 0; i < lanes; i++)
        c->rows[i] = (sac_env_row){.action = c->actions + i * actions,
                                   .observation = c->observations + i * image,
                                   .reward = c->rewards + i,
                                   .terminated = c->ends + 2 * i,
                                   .truncated = c->ends + 2 * i + 1};
    return SAC_OK;
}

static void destroy_crew(sac_rollouts *r, crew *c)
{
    for (int i = 0; i < r->lanes; i++)
    {
        if (c->envs) sac_env_destroy(c->envs[i]);
        if (c->lanes) sac_policy_state_destroy(c->lanes[i].state);
    }
    sac_free(c->lanes);
    sac_free(c->envs);
    sac_free(c->rows);
    sac_free(c->observations);
    sac_free(c->actions);
    sac_free(c->rewards);
    sac_free(c->ends);
    sac_free(c->parameters);
}

sac_status sac_rollouts_create(sac_rollouts **out, const sac_policy *policy, const sac_env_def *env, int threads,
                               int lanes)
{
    *out = NULL;
    sac_rollouts *r = SAC_NEW(sac_rollouts);
    if (!r) return sac_fail_memory("rollouts");
    pthread_mutex_init(&r->mutex, NULL);
    r->policy = policy;
    r->lanes = lanes;
    r->crews = SAC_NEW_ARRAY(crew, (size_t)threads);
    sac_status status = r->crews ? sac_threads_create(&r->threads, threads) : sac_fail_memory("rollouts");
    for (int i = 0; status == SAC_OK && i < threads; i++) status = create_crew(r, &r->crews[i], env);
    if (status != SAC_OK)
    {
        sac_rollouts_destroy(r);
        return status;
    }
    *out = r;
    return SAC_OK;
}

void sac_rollouts_destroy(sac_rollouts *r)
{
    if (!r) return;
    for (int i = 0; r->threads && i < sac_threads_count(r->threads); i++) destroy_crew(r, &r->crews[i]);
    sac_threads_destroy(r->threads);
    sac_free(r->crews);
    pthread_mutex_destroy(&r->mutex);
    sac_free(r);
}
