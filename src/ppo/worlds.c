#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "ppo/learner.h"

/// The worlds: groups of them, their memory, and the episodes that are under way in them.

// --- memory ---

// the next `count` elements of an array of the rollout
#define TAKE(field, count) (r->field = sac_take(at, (size_t)(count), sizeof *r->field))

static void place_rollout(const sac_ppo *p, sac_ppo_rollout *r, size_t lanes, sac_workspace *at)
{
    const size_t t = (size_t)p->steps, rows = t * lanes, chunks = (size_t)sac_ppo_sequences(p) + 1;
    const size_t told = (size_t)p->told, hidden = (size_t)p->hidden;
    for (int i = 0; i < p->part_count; i++)
        r->seen[i] = p->part_bytes[i] ? sac_take(at, (rows + lanes) * p->part_bytes[i], 1) : NULL;
    TAKE(drawn, rows * (size_t)p->head.size);
    TAKE(actions, rows * (size_t)p->actions);
    TAKE(likelihood, rows);
    TAKE(values, rows + lanes);
    TAKE(last, rows);
    TAKE(rewards, rows);
    TAKE(ends, rows);
    TAKE(starts, rows + lanes);
    TAKE(counts, rows);
    TAKE(hidden, chunks * lanes * hidden);
    TAKE(cell, chunks * lanes * hidden);
    TAKE(before, chunks * lanes * told);
    TAKE(told, rows * (size_t)p->fixed_told);
    TAKE(normaliser_sums, 2 * (size_t)sac_policy_normaliser_size(p->policy));
    TAKE(critic_sums, 2 * (size_t)p->critic.normaliser.size);
    TAKE(return_sums, 4);
    TAKE(worlds, lanes);
    TAKE(advantages, rows);
    TAKE(targets, rows);
}

static sac_status create_rollout(const sac_ppo *p, sac_ppo_rollout *r, size_t lanes)
{
    sac_workspace measure = {0};
    place_rollout(p, r, lanes, &measure);
    r->block_size = measure.used;
    r->block = sac_alloc(measure.used);
    if (!r->block) return sac_fail_memory("a rollout");
    place_rollout(p, r, lanes, &(sac_workspace){.memory = r->block});
    return SAC_OK;
}

static sac_status create_worlds(sac_ppo_group *g, const sac_env_def *env)
{
    const size_t lanes = (size_t)g->lanes;
    const sac_play_def def = {.env = env, .aimed = true};
    g->plays = SAC_NEW_ARRAY(sac_play, lanes);
    g->envs = SAC_NEW_ARRAY(sac_env *, lanes);
    g->rows = SAC_NEW_ARRAY(sac_env_row, lanes);
    if (!g->plays || !g->envs || !g->rows) return sac_fail_memory("worlds");
    for (int i = 0; i < g->lanes; i++)
    {
        SAC_TRY(sac_play_open_def(&g->plays[i], &def));
        g->envs[i] = g->plays[i].env;
        g->rows[i] = g->plays[i].row;
    }
    return SAC_OK;
}

static sac_status create_histories(sac_ppo *p)
{
    const size_t worlds = (size_t)p->config.worlds;
    p->worlds = SAC_NEW_ARRAY(sac_ppo_world, worlds);
    p->hidden_state = SAC_NEW_MATRIX(float, worlds, (size_t)p->hidden);
    p->cell_state = SAC_NEW_MATRIX(float, worlds, (size_t)p->hidden);
    p->before_state = SAC_NEW_MATRIX(float, worlds, (size_t)p->told);
    p->lengths = SAC_NEW_ARRAY(double, worlds);
    if (!p->worlds || !p->hidden_state || !p->cell_state || !p->before_state || !p->lengths)
        return sac_fail_memory("worlds");
    for (size_t i = 0; i < worlds; i++) p->worlds[i].last_return = NAN;
    return SAC_OK;
}

sac_status sac_ppo_create_groups(sac_ppo *p, const sac_env_def *env)
{
    const int rank = sac_comm_rank(p->comm), ranks = sac_comm_size(p->comm);
    p->group_count = (p->config.worlds + SAC_PPO_LANES - 1) / SAC_PPO_LANES;
    p->groups = SAC_NEW_ARRAY(sac_ppo_group, (size_t)p->group_count);
    if (!p->groups) return sac_fail_memory("worlds");
    for (int i = 0; i < p->group_count; i++)
    {
        sac_ppo_group *g = &p->groups[i];
        const int left = p->config.worlds - i * SAC_PPO_LANES;
        g->first = i * SAC_PPO_LANES;
        g->lanes = left < SAC_PPO_LANES ? left : SAC_PPO_LANES;
        SAC_TRY(create_rollout(p, &g->rollout, (size_t)g->lanes));
        if (i % ranks == rank) SAC_TRY(create_worlds(g, env));
    }
    return create_histories(p);
}

static void destroy_group(sac_ppo_group *g)
{
    for (int i = 0; g->plays && i < g->lanes; i++) sac_play_close(&g->plays[i]);
    sac_free(g->plays);
    sac_free(g->envs);
    sac_free(g->rows);
    sac_free(g->rollout.block);
}

void sac_ppo_destroy_groups(sac_ppo *p)
{
    for (int i = 0; p->groups && i < p->group_count; i++) destroy_group(&p->groups[i]);
    sac_free(p->groups);
    sac_free(p->worlds);
    sac_free(p->hidden_state);
    sac_free(p->cell_state);
    sac_free(p->before_state);
    sac_free(p->lengths);
    sac_free(p->history);
    sac_free(p->next_history);
}

// --- episodes ---

void sac_ppo_fail(sac_ppo *p, sac_status status)
{
    pthread_mutex_lock(&p->mutex);
    if (p->status == SAC_OK)
    {
        p->status = status;
        snprintf(p->sentence, sizeof p->sentence, "%s", sac_last_error());
        atomic_store(&p->stopped, true);
    }
    pthread_mutex_unlock(&p->mutex);
}

sac_status sac_ppo_run(sac_ppo *p, void (*work)(void *user, int thread))
{
    p->status = SAC_OK;
    atomic_store(&p->stopped, false);
    sac_threads_run(p->threads, work, p);
    return p->status == SAC_OK ? SAC_OK : sac_fail(p->status, "%s", p->sentence);
}

uint64_t sac_ppo_episode_seed(const sac_ppo *p, int world, double episode)
{
    uint64_t mixed = sac_mix_seed(p->seed, (uint64_t)world, (uint64_t)episode);
    return SAC_TRAINING_SEED_FIRST + (mixed >> 12); // below 2^52, and above what evaluations use
}

void sac_ppo_aim(const sac_ppo *p, sac_ppo_group *g, int lane, ptrdiff_t row)
{
    for (int i = 0; i < p->part_count; i++)
        if (g->rollout.seen[i]) sac_play_aim(&g->plays[lane], i, g->rollout.seen[i] + (size_t)row * p->part_bytes[i]);
}

// an episode up to where it was: its actions are done again, and what is seen before the last one is not drawn
static sac_status replay(const sac_ppo *p, sac_ppo_group *g, int lane, const float *actions)
{
    const int world = g->first + lane, length = (int)p->lengths[world];
    const uint64_t seed = sac_ppo_episode_seed(p, world, p->worlds[world].episode);
    sac_play *play = &g->plays[lane];
    for (int i = 0; i < p->part_count; i++) sac_play_aim(play, i, NULL);
    if (length == 0) sac_ppo_aim(p, g, lane, lane);
    SAC_TRY(sac_play_reset(play, seed));
    while (play->steps < length)
    {
        if (p->interrupt && *p->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
        if (play->steps == length - 1) sac_ppo_aim(p, g, lane, lane);
        memcpy(play->action, actions + (ptrdiff_t)play->steps * p->actions, (size_t)p->actions * sizeof *actions);
        SAC_TRY(sac_play_step(play));
        if (sac_play_ended(play))
            return sac_fail(SAC_ERROR_ENVIRONMENT,
                            "%s: an episode (seed %llu) that is gone through again ends with step %d of %d: the same "
                            "seed and actions give something else",
                            sac_env_get_ops(play->env)->name, (unsigned long long)seed, play->steps, length);
    }
    return SAC_OK;
}

static void begin_group(void *user, int index)
{
    sac_ppo *p = user;
    const float *actions = p->history;
    int world = 0;
    for (int i = 0; i < p->group_count; i++)
        for (int lane = 0; lane < p->groups[i].lanes; lane++, world++)
        {
            if (p->groups[i].plays && i % p->thread_count == index)
            {
                sac_status status = replay(p, &p->groups[i], lane, actions);
                if (status != SAC_OK) sac_ppo_fail(p, status);
            }
            actions += (ptrdiff_t)p->lengths[world] * p->actions;
        }
}

sac_status sac_ppo_begin(sac_ppo *p)
{
    SAC_TRY(sac_ppo_run(p, begin_group));
    const size_t hidden = (size_t)p->hidden * sizeof(float), told = (size_t)p->told * sizeof(float);
    for (int i = 0; i < p->group_count; i++)
    {
        const sac_ppo_group *g = &p->groups[i];
        const sac_ppo_rollout *r = &g->rollout;
        const size_t chunks = (size_t)sac_ppo_sequences(p), lanes = (size_t)g->lanes, first = (size_t)g->first;
        memcpy(r->worlds, p->worlds + first, lanes * sizeof *r->worlds);
        // The last rollout would have left them here, and the next one begins here.
        for (size_t k = 0; k < lanes; k++) r->starts[(size_t)p->steps * lanes + k] = p->lengths[first + k] == 0;
        memcpy(r->hidden + chunks * lanes * (size_t)p->hidden, p->hidden_state + first * (size_t)p->hidden,
               lanes * hidden);
        memcpy(r->cell + chunks * lanes * (size_t)p->hidden, p->cell_state + first * (size_t)p->hidden, lanes * hidden);
        memcpy(r->before + chunks * lanes * (size_t)p->told, p->before_state + first * (size_t)p->told, lanes * told);
        for (int part = 0; part < p->part_count; part++)
            if (r->seen[part])
                memcpy(r->seen[part] + (size_t)p->steps * lanes * p->part_bytes[part], r->seen[part],
                       lanes * p->part_bytes[part]);
    }
    return SAC_OK;
}

// --- what is kept of the episodes under way ---

// a world's actions since its episode began: those that are known already, where it is still the same one, and new ones
static size_t extend_history(const sac_ppo *p, const sac_ppo_group *g, int lane, const float *known, float *out)
{
    const sac_ppo_rollout *r = &g->rollout;
    const size_t size = (size_t)p->actions, lanes = (size_t)g->lanes;
    const double now = r->worlds[lane].steps;
    size_t fresh = now < p->steps ? (size_t)now : (size_t)p->steps, old = (size_t)now - fresh;
    if (out && old > 0) memcpy(out, known, old * size * sizeof *out);
    for (size_t k = 0; out && k < fresh; k++)
    {
        const size_t row = ((size_t)p->steps - fresh + k) * lanes + (size_t)lane;
        memcpy(out + (old + k) * size, r->actions + row * size, size * sizeof *out);
    }
    return old + fresh;
}

// room for all that the episodes may have done by the end of the next iteration
static sac_status reserve_history(sac_ppo *p, size_t actions)
{
    if (actions <= p->history_room) return SAC_OK;
    const size_t room = actions + actions / 2, count = room * (size_t)p->actions;
    float *history = SAC_NEW_ARRAY(float, count), *next = SAC_NEW_ARRAY(float, count);
    if (!history || !next)
    {
        sac_free(history);
        sac_free(next);
        return sac_fail_memory("the actions of episodes");
    }
    if (p->history) memcpy(history, p->history, p->history_room * (size_t)p->actions * sizeof *history);
    sac_free(p->history);
    sac_free(p->next_history);
    p->history = history;
    p->next_history = next;
    p->history_room = room;
    return SAC_OK;
}

sac_status sac_ppo_reshape(sac_ppo *p)
{
    double total = 0;
    for (int i = 0; i < p->config.worlds; i++)
    {
        const double length = p->lengths[i];
        if (!(length >= 0 && length < p->max_steps && length == floor(length)))
            return sac_fail(SAC_ERROR_FORMAT, "ppo: the state's lengths[%d] is %g, expected 0 to %d steps", i, length,
                            p->max_steps - 1);
        total += length;
    }
    return reserve_history(p, (size_t)total + 1);
}

sac_status sac_ppo_reserve(sac_ppo *p)
{
    double total = 0;
    for (int i = 0; i < p->config.worlds; i++) total += p->lengths[i] + p->steps;
    return reserve_history(p, (size_t)total);
}

void sac_ppo_commit_worlds(sac_ppo *p)
{
    const float *known = p->history;
    float *out = p->next_history;
    const size_t chunks = (size_t)sac_ppo_sequences(p), hidden = (size_t)p->hidden, told = (size_t)p->told;
    for (int i = 0; i < p->group_count; i++)
    {
        const sac_ppo_group *g = &p->groups[i];
        const sac_ppo_rollout *r = &g->rollout;
        const size_t lanes = (size_t)g->lanes, first = (size_t)g->first;
        for (int lane = 0; lane < g->lanes; lane++)
        {
            const size_t world = first + (size_t)lane, was = (size_t)p->lengths[world];
            p->lengths[world] = (double)extend_history(p, g, lane, known, out);
            known += was * (size_t)p->actions;
            out += (size_t)p->lengths[world] * (size_t)p->actions;
        }
        memcpy(p->worlds + first, r->worlds, lanes * sizeof *p->worlds);
        memcpy(p->hidden_state + first * hidden, r->hidden + chunks * lanes * hidden, lanes * hidden * sizeof(float));
        memcpy(p->cell_state + first * hidden, r->cell + chunks * lanes * hidden, lanes * hidden * sizeof(float));
        memcpy(p->before_state + first * told, r->before + chunks * lanes * told, lanes * told * sizeof(float));
    }
    float *spent = p->history;
    p->history = p->next_history;
    p->next_history = spent;
}
