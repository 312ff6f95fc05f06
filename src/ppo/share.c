#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ppo/learner.h"

/// What ranks tell each other: each drives the groups whose number is its own modulo the number of ranks, and hands
/// their rollouts to everyone. Where the policy looks at pictures, each also computes the gradients of its part of
/// every minibatch's slices, and hands them on; for vectors alone that takes longer than to compute them everywhere.
/// All else every rank computes by itself.

/// Bytes of pictures in a minibatch from which on computing them takes longer than telling gradients.
static const double least_shared = 1 << 20;

static sac_status plan_slices(sac_ppo *p, int ranks)
{
    const sac_policy_def *def = sac_policy_get_def(p->policy);
    double bytes = 0;
    for (int i = 0; i < def->input_count; i++)
        if (sac_space_is_image(&def->inputs[i])) bytes += (double)sac_space_bytes(&def->inputs[i]);
    p->shared = bytes * p->config.minibatch >= least_shared;
    p->slice_sizes = SAC_NEW_ARRAY(size_t, (size_t)ranks);
    if (!p->slice_sizes) return sac_fail_memory("slices of a minibatch");
    for (int i = 0; i < ranks; i++)
    {
        const int slices = sac_slices_first(p->slices, i + 1, ranks) - sac_slices_first(p->slices, i, ranks);
        p->slice_sizes[i] = (size_t)slices * (p->count + SAC_PPO_BESIDE) * sizeof(float);
    }
    return SAC_OK;
}

sac_status sac_ppo_create_exchange(sac_ppo *p)
{
    const int ranks = sac_comm_size(p->comm);
    size_t total = 0;
    if (ranks == 1) return SAC_OK;
    SAC_TRY(plan_slices(p, ranks));
    p->exchange_sizes = SAC_NEW_ARRAY(size_t, (size_t)ranks);
    if (!p->exchange_sizes) return sac_fail_memory("rollouts");
    for (int i = 0; i < p->group_count; i++)
    {
        p->exchange_sizes[i % ranks] += p->groups[i].rollout.block_size;
        total += p->groups[i].rollout.block_size;
    }
    p->exchange = sac_alloc(total);
    return p->exchange ? SAC_OK : sac_fail_memory("rollouts");
}

void sac_ppo_destroy_exchange(sac_ppo *p)
{
    sac_free(p->exchange);
    sac_free(p->exchange_sizes);
    sac_free(p->slice_sizes);
}

// this rank's rollouts to where they stand among all, or those of the others from there
static void copy(sac_ppo *p, bool out)
{
    const int ranks = sac_comm_size(p->comm), mine = sac_comm_rank(p->comm);
    uint8_t *at = p->exchange;
    for (int rank = 0; rank < ranks; rank++)
        for (int i = rank; i < p->group_count; i += ranks)
        {
            const sac_ppo_rollout *r = &p->groups[i].rollout;
            if (out && rank == mine) memcpy(at, r->block, r->block_size);
            if (!out && rank != mine) memcpy(r->block, at, r->block_size);
            at += r->block_size;
        }
}

sac_status sac_ppo_share(sac_ppo *p, sac_status status)
{
    if (sac_comm_size(p->comm) == 1) return status;
    copy(p, true);
    SAC_TRY(sac_comm_gather(p->comm, status, p->exchange, p->exchange_sizes));
    copy(p, false);
    return SAC_OK;
}

sac_status sac_ppo_sum_slices(sac_ppo *p, sac_status status, int sequences, sac_slice_work *work)
{
    if (!p->shared)
    {
        if (status == SAC_OK) (void)sac_slices_run(p->slices, p->sums, sequences, work, p);
        return status;
    }
    const int rank = sac_comm_rank(p->comm), ranks = sac_comm_size(p->comm);
    if (status == SAC_OK) sac_slices_run_part(p->slices, sequences, rank, ranks, work, p);
    SAC_TRY(sac_comm_gather(p->comm, status, (uint8_t *)sac_slices_gradients(p->slices), p->slice_sizes));
    sac_slices_add(p->slices, p->sums);
    return SAC_OK;
}
