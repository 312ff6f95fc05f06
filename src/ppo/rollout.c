#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "ppo/learner.h"

/// A rollout: each group's worlds are driven for T steps by actions drawn around the policy's own.

/// Streams of the learner's seed, beside those of episodes.
enum
{
    NOISE = 1,
    PUSHES = 2
};

void sac_ppo_point(const sac_ppo *p, const sac_ppo_rollout *r, ptrdiff_t row, const void **policy_parts,
                   const void **critic_parts)
{
    const int inputs = sac_policy_get_def(p->policy)->input_count;
    for (int i = 0; i < inputs; i++)
        policy_parts[i] = r->seen[p->inputs[i]] + (size_t)row * p->part_bytes[p->inputs[i]];
    for (int i = 0; i < p->critic.input_count; i++)
        critic_parts[i] = r->seen[p->critic.inputs[i]] + (size_t)row * p->part_bytes[p->critic.inputs[i]];
}

static void point_group(const sac_ppo *p, sac_ppo_room *room, const sac_ppo_group *g, int t)
{
    const int inputs = sac_policy_get_def(p->policy)->input_count;
    for (int i = 0; i < g->lanes; i++)
        sac_ppo_point(p, &g->rollout, (ptrdiff_t)t * g->lanes + i, room->policy_parts + (ptrdiff_t)i * inputs,
                      room->critic_parts + (ptrdiff_t)i * p->critic.input_count);
}

void sac_ppo_value(const sac_ppo *p, sac_ppo_room *room, const float *told, int frames, double *seen, float *values,
                   sac_batch *batch)
{
    const sac_ppo_critic *c = &p->critic;
    for (int i = 0; c->input_count == 0 && i < frames; i++)
        room->critic_parts[i] = told + (ptrdiff_t)i * p->gradient->inputs;
    *batch = (sac_batch){.steps = 1,
                         .sequences = frames,
                         .temperature = 1,
                         .parts = room->critic_parts,
                         .seen = c->normaliser.size > 0 ? seen : NULL};
    sac_gradient_forward(c->gradient, values, p->x + p->policy_count, batch, room->critic_workspace);
}

// --- a step ---

// make a batch of one step that holds the policy's memory of the group; a forward pass brings that memory up to date
static sac_batch batch_of(const sac_ppo *p, const sac_ppo_room *room, const sac_ppo_group *g, const uint8_t *starts)
{
    return (sac_batch){.steps = 1,
                       .sequences = g->lanes,
                       .starts = starts,
                       .hidden = p->hidden ? room->hidden : NULL,
                       .cell = p->hidden ? room->cell : NULL,
                       .before = p->told ? room->before : NULL,
                       .temperature = 1,
                       .parts = room->policy_parts};
}

// compute the outputs, in units, and the values of step t
static void look(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g, int t)
{
    sac_ppo_rollout *r = &g->rollout;
    sac_batch batch = batch_of(p, room, g, r->starts + (ptrdiff_t)t * g->lanes), value;
    batch.seen = sac_policy_normaliser_size(p->policy) > 0 ? r->normaliser_sums : NULL;
    point_group(p, room, g, t);
    sac_gradient_forward(p->gradient, room->outputs, p->x, &batch, room->policy_workspace);
    if (p->fixed_told > 0)
        memcpy(r->told + (ptrdiff_t)t * g->lanes * p->fixed_told,
               sac_gradient_told(p->gradient, &batch, room->policy_workspace),
               (size_t)g->lanes * (size_t)p->fixed_told * sizeof(float));
    sac_action_head_scale(&p->head, room->outputs, g->lanes);
    sac_ppo_value(p, room, sac_gradient_inputs(p->gradient, &batch, room->policy_workspace), g->lanes, r->critic_sums,
                  r->values + (ptrdiff_t)t * g->lanes, &value);
}

// Writes the critic's values of what is seen at step t. Nothing else is kept of that.
static void look_ahead(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g, int t, float *values)
{
    const size_t lanes = (size_t)g->lanes, hidden = lanes * (size_t)p->hidden * sizeof(float);
    const size_t told = lanes * (size_t)p->told * sizeof(float);
    sac_batch batch = batch_of(p, room, g, NULL), value;
    const float *numbers = NULL; // that the controller is told
    point_group(p, room, g, t);
    if (p->critic.input_count == 0)
    {
        memcpy(room->spare_hidden, room->hidden, hidden);
        memcpy(room->spare_cell, room->cell, hidden);
        memcpy(room->spare_before, room->before, told);
        sac_gradient_forward(p->gradient, room->outputs, p->x, &batch, room->policy_workspace);
        memcpy(room->hidden, room->spare_hidden, hidden);
        memcpy(room->cell, room->spare_cell, hidden);
        memcpy(room->before, room->spare_before, told);
        numbers = sac_gradient_inputs(p->gradient, &batch, room->policy_workspace);
    }
    sac_ppo_value(p, room, numbers, g->lanes, NULL, values, &value);
}

// random actions in place of the policy's, now and then; whether this step is one of a push
static bool push(const sac_ppo *p, sac_ppo_world *world, sac_stream *stream, float *action)
{
    const sac_action_head *h = &p->head;
    if (p->config.push_every == 0) return false;
    if (world->push == 0 && sac_stream_uniform(stream, 0, p->config.push_every) < 1) world->push = p->config.push_steps;
    if (world->push == 0) return false;
    world->push--;
    if (h->choices > 0) action[0] = (float)sac_stream_below(stream, (uint32_t)h->choices);
    for (int i = 0; h->choices == 0 && i < h->actions; i++)
    {
        const float low = isfinite(h->low[i]) ? h->low[i] : -1, high = isfinite(h->high[i]) ? h->high[i] : 1;
        action[i] = (float)sac_stream_uniform(stream, (double)low, (double)high);
    }
    return true;
}

// every lane's action
static void decide(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g, int t, sac_stream *pushes)
{
    sac_ppo_rollout *r = &g->rollout;
    const sac_action_head *h = &p->head;
    const float *logs = p->x + p->policy_count + p->critic_count;
    const int numbers = h->kind == SAC_HEAD_CHOICE ? 1 : h->outputs;
    const ptrdiff_t row = (ptrdiff_t)t * g->lanes;
    for (int i = 0; i < g->lanes; i++)
    {
        float *drawn = r->drawn + (row + i) * h->size, *action = g->plays[i].action;
        sac_action_head_draw(h, drawn, room->outputs + (ptrdiff_t)i * h->outputs, logs,
                             room->noise + ((ptrdiff_t)i * p->steps + t) * numbers);
        sac_action_head_act(h, action, drawn);
        r->counts[row + i] = !push(p, &r->worlds[i], &pushes[i], action);
        memcpy(r->actions + (row + i) * p->actions, action, (size_t)p->actions * sizeof *action);
        sac_ppo_aim(p, g, i, row + g->lanes + i);
    }
    sac_action_head_likelihood(h, &room->l, r->likelihood + row, r->drawn + row * h->size, room->outputs, logs,
                               g->lanes, room->loss_workspace);
}

// Tell whether an episode is cut here: after `episode_steps`, and each world's first one at a length of its own, so
// that worlds do not go through their episodes in step with each other.
static bool is_cut(const sac_ppo *p, const sac_ppo_world *world, int steps, int index)
{
    const int limit = p->config.episode_steps, whole = limit > 0 && limit < p->max_steps ? limit : p->max_steps;
    if (limit > 0 && steps >= limit) return true;
    const double share = (double)(index + 1) / p->config.worlds;
    return p->config.stagger && world->episode == 0 && steps >= ceil(share * whole);
}

// Notes what a step has brought a lane. Returns whether the lane's episode has ended.
static bool take_step(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g, int lane, ptrdiff_t at)
{
    sac_ppo_rollout *r = &g->rollout;
    sac_ppo_world *world = &r->worlds[lane];
    sac_play *play = &g->plays[lane];
    const bool bad = !isfinite(play->reward);
    if (bad) play->reward = 0;
    sac_play_count(play);
    // this is learned from; the episode's return is the world's
    const double reward = play->reward - sac_ppo_costs(p, room, play);
    uint8_t end = play->terminated || bad ? SAC_TERMINATED : play->truncated ? SAC_TRUNCATED : SAC_GOES_ON;
    if (end == SAC_TRUNCATED && !p->config.bootstrap) end = SAC_TERMINATED;
    r->rewards[at] = (float)reward;
    r->ends[at] = end;
    r->return_sums[3] += bad;
    world->discounted = p->config.gamma * world->discounted + reward;
    r->return_sums[0] += 1;
    r->return_sums[1] += world->discounted;
    r->return_sums[2] += world->discounted * world->discounted;
    if (end == SAC_GOES_ON && is_cut(p, world, play->steps, g->first + lane)) end = r->ends[at] = SAC_TRUNCATED;
    // a first episode that was cut says nothing of how well the policy does
    const bool whole = world->episode > 0 || !p->config.stagger || end != SAC_TRUNCATED;
    if (end != SAC_GOES_ON && !bad && whole) world->last_return = play->episode_return;
    return end != SAC_GOES_ON;
}

static sac_status begin_episode(const sac_ppo *p, sac_ppo_group *g, int lane)
{
    sac_ppo_world *world = &g->rollout.worlds[lane];
    world->episode++;
    world->discounted = world->push = 0;
    return sac_play_reset(&g->plays[lane], sac_ppo_episode_seed(p, g->first + lane, world->episode));
}

static sac_status take_steps(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g, int t)
{
    sac_ppo_rollout *r = &g->rollout;
    const ptrdiff_t row = (ptrdiff_t)t * g->lanes;
    bool truncated = false;
    for (int i = 0; i < g->lanes; i++)
    {
        const bool ended = take_step(p, room, g, i, row + i);
        r->starts[row + g->lanes + i] = ended;
        truncated |= r->ends[row + i] == SAC_TRUNCATED;
    }
    if (truncated) look_ahead(p, room, g, t + 1, r->last + row);
    for (int i = 0; i < g->lanes; i++)
        if (r->ends[row + i] != SAC_GOES_ON) SAC_TRY(begin_episode(p, g, i));
    return SAC_OK;
}

// --- a group ---

// the last row becomes the first one
static void go_on(const sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g)
{
    sac_ppo_rollout *r = &g->rollout;
    const size_t lanes = (size_t)g->lanes, chunks = (size_t)sac_ppo_sequences(p), steps = (size_t)p->steps;
    const size_t hidden = lanes * (size_t)p->hidden, told = lanes * (size_t)p->told;
    for (int i = 0; i < p->part_count; i++)
        if (r->seen[i]) memcpy(r->seen[i], r->seen[i] + steps * lanes * p->part_bytes[i], lanes * p->part_bytes[i]);
    memcpy(r->starts, r->starts + steps * lanes, lanes);
    memcpy(room->hidden, r->hidden + chunks * hidden, hidden * sizeof(float));
    memcpy(room->cell, r->cell + chunks * hidden, hidden * sizeof(float));
    memcpy(room->before, r->before + chunks * told, told * sizeof(float));
    memcpy(r->worlds, p->worlds + g->first, lanes * sizeof *r->worlds);
    memset(r->normaliser_sums, 0, 2 * (size_t)sac_policy_normaliser_size(p->policy) * sizeof(double));
    memset(r->critic_sums, 0, 2 * (size_t)p->critic.normaliser.size * sizeof(double));
    memset(r->return_sums, 0, 4 * sizeof(double));
}

// keep the memory that the policy has before a sequence, or after the last one
static void keep_state(const sac_ppo *p, const sac_ppo_room *room, sac_ppo_group *g, int chunk)
{
    sac_ppo_rollout *r = &g->rollout;
    const size_t hidden = (size_t)g->lanes * (size_t)p->hidden, told = (size_t)g->lanes * (size_t)p->told;
    memcpy(r->hidden + (size_t)chunk * hidden, room->hidden, hidden * sizeof(float));
    memcpy(r->cell + (size_t)chunk * hidden, room->cell, hidden * sizeof(float));
    memcpy(r->before + (size_t)chunk * told, room->before, told * sizeof(float));
}

// keep how far the episodes are, for checkpoints
static void keep_counts(sac_ppo_group *g)
{
    for (int i = 0; i < g->lanes; i++)
    {
        g->rollout.worlds[i].steps = g->plays[i].steps;
        g->rollout.worlds[i].episode_return = g->plays[i].episode_return;
    }
}

// draw all random numbers of a group, which are the same wherever and whenever it is driven
static void draw_noise(const sac_ppo *p, sac_ppo_room *room, const sac_ppo_group *g, sac_stream *pushes)
{
    const uint64_t noise = sac_mix_seed(p->seed, NOISE, 0), push = sac_mix_seed(p->seed, PUSHES, 0);
    const bool choice = p->head.kind == SAC_HEAD_CHOICE;
    const size_t count = (size_t)p->steps * (size_t)(choice ? 1 : p->head.outputs);
    for (int i = 0; i < g->lanes; i++)
    {
        const uint64_t world = (uint64_t)(g->first + i);
        double *numbers = room->noise + (size_t)i * count;
        sac_stream stream = sac_stream_create(noise, p->iteration, world);
        for (size_t k = 0; choice && k < count; k++) numbers[k] = sac_stream_uniform(&stream, 0, 1);
        if (!choice) sac_normals(numbers, count, noise, p->iteration, world);
        pushes[i] = sac_stream_create(push, p->iteration, world);
    }
}

static sac_status drive_group(sac_ppo *p, sac_ppo_room *room, sac_ppo_group *g)
{
    sac_stream pushes[SAC_PPO_LANES];
    go_on(p, room, g);
    draw_noise(p, room, g, pushes);
    for (int t = 0; t < p->steps; t++)
    {
        if (atomic_load_explicit(&p->stopped, memory_order_relaxed)) return SAC_OK;
        if (p->interrupt && *p->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
        const double begin = sac_clock();
        if (t % p->sequence == 0) keep_state(p, room, g, t / p->sequence);
        look(p, room, g, t);
        decide(p, room, g, t, pushes);
        const double decided = sac_clock();
        SAC_TRY(sac_env_step_batch(g->envs, g->rows, g->lanes));
        SAC_TRY(take_steps(p, room, g, t));
        room->acting += decided - begin;
        room->stepping += sac_clock() - decided;
    }
    keep_state(p, room, g, sac_ppo_sequences(p));
    keep_counts(g);
    // Where an episode has just begun, this value is not used.
    look_ahead(p, room, g, p->steps, g->rollout.values + (ptrdiff_t)p->steps * g->lanes);
    return SAC_OK;
}

static void drive_groups(void *user, int thread)
{
    sac_ppo *p = user;
    const int ranks = sac_comm_size(p->comm), rank = sac_comm_rank(p->comm);
    int mine = 0;
    for (int i = rank; i < p->group_count; i += ranks)
    {
        if (mine++ % p->thread_count != thread) continue;
        sac_status status = drive_group(p, &p->rooms[thread], &p->groups[i]);
        if (status != SAC_OK)
        {
            sac_ppo_fail(p, status);
            return;
        }
    }
}

sac_status sac_ppo_drive(sac_ppo *p)
{
    return sac_ppo_run(p, drive_groups);
}
