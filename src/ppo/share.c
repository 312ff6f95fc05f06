#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ppo/learner.h"

/// What ranks tell each other: each drives the groups whose number is its own modulo the number of ranks, and hands
/// their rollouts to everyone. All else every rank computes by itself.

sac_status sac_ppo_create_exchange(sac_ppo *p)
{
    const int ranks = sac_comm_size(p->comm);
    size_t total = 0;
    if (ranks == 1) return SAC_OK;
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
