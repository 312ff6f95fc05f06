#include "train/comm.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "files/module.h"

/// What every kind of comm does alike, and which kind the launcher asks for.

// ranks that mpirun or srun has started; 0: none, this process was started by hand
static int announced_ranks(void)
{
    // SLURM_NTASKS would not do: a batch script has it too
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        const char *text = getenv(names[i]);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return 0;
}

sac_status sac_comm_open(sac_comm **out)
{
    *out = NULL;
    int expected = announced_ranks();
    if (expected <= 1) return sac_comm_create_self(out);
    const void *table;
    if (sac_module_open(&table, "mpi") != SAC_OK)
        return sac_fail_in(SAC_ERROR_UNAVAILABLE, "one of %d ranks", expected);
    char error[256] = "";
    sac_transport transport;
    if (((const sac_mpi_calls *)table)->open(&transport, expected, error, sizeof error) != 0)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "MPI: %s", error);
    return sac_comm_create_ranks(out, &transport);
}

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
