#include "rollout/comm.h"

#include <stdio.h>

#include "base/error.h"

/// What every kind of comm does alike.

void sac_comm_close(sac_comm *comm, sac_status status)
{
    if (comm) comm->ops->close(comm, status);
}

int sac_comm_rank(const sac_comm *comm)
{
    return comm->rank;
}

int sac_comm_size(const sac_comm *comm)
{
    return comm->size;
}

sac_status sac_comm_begin(sac_comm *comm, const sac_round *round)
{
    comm->round = *round;
    comm->status = SAC_OK;
    atomic_store(&comm->stopped, false);
    return comm->ops->begin(comm);
}

int sac_comm_take(sac_comm *comm, bool wait)
{
    return comm->ops->take(comm, wait);
}

void sac_comm_give(sac_comm *comm, int unit)
{
    comm->ops->give(comm, unit);
}

void sac_comm_stop(sac_comm *comm, sac_status status)
{
    pthread_mutex_lock(&comm->mutex);
    if (!atomic_load(&comm->stopped))
    {
        comm->status = status;
        snprintf(comm->sentence, sizeof comm->sentence, "%s", sac_last_error());
        atomic_store(&comm->stopped, true);
        if (comm->ops->stop) comm->ops->stop(comm);
    }
    pthread_mutex_unlock(&comm->mutex);
}

bool sac_comm_needs_server(const sac_comm *comm)
{
    return comm->ops->serve != NULL;
}

void sac_comm_serve(sac_comm *comm)
{
    comm->ops->serve(comm);
}

sac_status sac_comm_verdict(const sac_comm *comm)
{
    return comm->status == SAC_OK ? SAC_OK : sac_fail(comm->status, "%s", comm->sentence);
}

sac_status sac_comm_share(sac_comm *comm, sac_status status, uint8_t **bytes, size_t *size)
{
    return comm->ops->share ? comm->ops->share(comm, status, bytes, size) : status;
}

sac_status sac_comm_gather(sac_comm *comm, sac_status status, uint8_t *all, const size_t *sizes)
{
    return comm->ops->gather ? comm->ops->gather(comm, status, all, sizes) : status;
}
