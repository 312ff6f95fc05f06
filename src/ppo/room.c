#include "base/error.h"
#include "base/memory.h"
#include "ppo/learner.h"

/// Where threads work: memory for a group's step, or for a slice of a minibatch.

#define TAKE(field, count) (r->field = sac_take(at, (size_t)(count), sizeof *r->field))

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t workspace_size(const sac_gradient *g, int steps, int sequences)
{
    return larger(sac_gradient_workspace_size(g, steps, sequences), sac_gradient_workspace_size(g, 1, SAC_PPO_LANES));
}

static void place(const sac_ppo *p, sac_ppo_room *r, sac_workspace *at)
{
    const size_t frames = (size_t)p->frames, inputs = (size_t)sac_policy_get_def(p->policy)->input_count;
    const size_t sequences = larger((size_t)p->slice_sequences, SAC_PPO_LANES);
    const size_t hidden = sequences * (size_t)p->hidden, told = sequences * (size_t)p->told;
    const size_t asked = (size_t)(p->critic.input_count > 0 ? p->critic.input_count : 1);
    r->policy_workspace = sac_take(at, workspace_size(p->gradient, p->sequence, p->slice_sequences), 1);
    r->critic_workspace = sac_take(at, workspace_size(p->critic.gradient, 1, p->frames), 1);
    r->scratch = sac_take(at, SAC_LEARN_SCRATCH, 1);
    TAKE(policy_parts, frames * inputs);
    TAKE(critic_parts, frames * asked);
    TAKE(told, p->fixed_told > 0 ? frames : 0);
    TAKE(starts, frames);
    TAKE(outputs, frames * (size_t)p->head.outputs);
    TAKE(doutputs, frames * (size_t)p->head.outputs);
    TAKE(values, frames);
    TAKE(dvalues, frames);
    TAKE(drawn, frames * (size_t)p->head.size);
    TAKE(old, frames);
    TAKE(advantages, frames);
    TAKE(old_values, frames);
    TAKE(targets, frames);
    TAKE(counts, frames);
    TAKE(hidden, hidden);
    TAKE(cell, hidden);
    TAKE(before, told);
    TAKE(spare_hidden, hidden);
    TAKE(spare_cell, hidden);
    TAKE(spare_before, told);
    TAKE(loss_workspace, sac_ppo_loss_workspace(&p->head, p->frames));
    TAKE(columns, p->column_count);
    TAKE(noise, SAC_PPO_LANES * (size_t)p->steps * (size_t)p->head.outputs);
}

static sac_status create_room(const sac_ppo *p, sac_ppo_room *room)
{
    sac_workspace measure = {0};
    place(p, room, &measure);
    room->block = sac_alloc(measure.used);
    if (!room->block) return sac_fail_memory("a minibatch");
    place(p, room, &(sac_workspace){.memory = room->block});
    room->l = sac_learn_create(room->scratch);
    return SAC_OK;
}

sac_status sac_ppo_create_rooms(sac_ppo *p)
{
    p->rooms = SAC_NEW_ARRAY(sac_ppo_room, (size_t)p->thread_count);
    if (!p->rooms) return sac_fail_memory("a minibatch");
    for (int i = 0; i < p->thread_count; i++) SAC_TRY(create_room(p, &p->rooms[i]));
    return SAC_OK;
}

void sac_ppo_destroy_rooms(sac_ppo *p)
{
    for (int i = 0; p->rooms && i < p->thread_count; i++) sac_free(p->rooms[i].block);
    sac_free(p->rooms);
}
