#include "base/error.h"
#include "base/memory.h"
#include "rollout/comm.h"

/// One process: the queue is a counter, and results stand where they belong as soon as they are there.

typedef struct self
{
    sac_comm base;
    atomic_int next;
} self;

static sac_status begin(sac_comm *comm)
{
    atomic_store(&((self *)comm)->next, 0);
    return SAC_OK;
}

static int take(sac_comm *comm, bool wait)
{
    (void)wait;
    int unit = atomic_fetch_add(&((self *)comm)->next, 1);
    return unit < comm->round.unit_count && !atomic_load(&comm->stopped) ? unit : SAC_UNIT_NONE;
}

static void give(sac_comm *comm, int unit)
{
    (void)comm, (void)unit;
}

static void destroy(sac_comm *comm, sac_status status)
{
    (void)status;
    pthread_mutex_destroy(&comm->mutex);
    sac_free(comm);
}

sac_status sac_comm_create_self(sac_comm **out)
{
    static const sac_comm_ops ops = {.begin = begin, .take = take, .give = give, .close = destroy};
    *out = NULL;
    self *s = SAC_NEW(self);
    if (!s) return sac_fail_memory("threads");
    s->base.ops = &ops;
    s->base.size = 1;
    pthread_mutex_init(&s->base.mutex, NULL);
    *out = &s->base;
    return SAC_OK;
}
