#include <stdlib.h>

#include "base/error.h"
#include "files/module.h"
#include "rollout/comm.h"

/// Which kind of comm the launcher asks for: this process alone, or ranks over MPI.

// Counts the ranks that mpirun or srun has started; 0: this process was started by hand.
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
