#include "train/sweep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/task.h"

/// A sweep: the runs of a plan, one after the other, each in a folder of its own.

// checks that every task can be read before the first run starts
static sac_status check_tasks(const sac_sweep_state *s)
{
    for (int run = 0; run < sac_sweep_runs(s); run++)
    {
        sac_task *task;
        if (sac_sweep_task(s, run, &task) != SAC_OK) return sac_fail_in(SAC_ERROR_ARGUMENT, "run %d of the sweep", run);
        bool judged = s->def->halving.reduction == 0 || task->evaluation.every > 0;
        sac_task_destroy(task);
        if (!judged)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "run %d of the sweep: halving judges runs by their evaluations, and evaluation.every is 0",
                            run);
    }
    return SAC_OK;
}

// make the folder and put the sweep file into it; refuse another sweep's folder
static sac_status open_folder(const sac_sweep_state *s)
{
    char path[SAC_PATH_SIZE];
    uint8_t *mine, *theirs;
    size_t size, their_size;
    SAC_TRY(sac_make_folders(s->def->dir));
    SAC_TRY(sac_join_path(path, s->def->dir, "sweep.yaml"));
    SAC_TRY(sac_read_file(&mine, &size, s->def->path, (size_t)1 << 20));
    const bool is_new = access(path, F_OK) != 0;
    // The sweep file comes last, so that a folder which has it lacks nothing.
    sac_status status = sac_sweep_check_halving(s, is_new);
    if (status != SAC_OK)
        ;
    else if (is_new)
        status = sac_write_file(path, mine, size);
    else if ((status = sac_read_file(&theirs, &their_size, path, (size_t)1 << 20)) == SAC_OK)
    {
        if (size != their_size || memcmp(mine, theirs, size) != 0)
            status = sac_fail(SAC_ERROR_ARGUMENT, "%s: the folder is of another sweep; use another --run", path);
        sac_free(theirs);
    }
    sac_free(mine);
    return status;
}

// Tells whether a run is over. Rank 0 looks and tells all others.
static sac_status look(const sac_sweep_state *s, int run, bool *over)
{
    char path[SAC_PATH_SIZE];
    sac_run_summary summary;
    uint8_t answer = 0, *bytes = &answer;
    size_t size = 1;
    sac_status status = sac_sweep_folder(s, run, path);
    if (status == SAC_OK && sac_sweep_writes(s) && access(path, F_OK) == 0 &&
        sac_run_summarise(&summary, path) == SAC_OK)
        answer = strcmp(summary.state, "stopped") == 0 ||
                 (strcmp(summary.state, "finished") == 0 && summary.generation >= s->def->generations);
    SAC_TRY(sac_comm_share(s->comm, status, &bytes, &size));
    *over = bytes[0];
    if (bytes != &answer) sac_free(bytes);
    return SAC_OK;
}

static sac_status train_all(sac_sweep_state *s)
{
    SAC_TRY(check_tasks(s));
    if (sac_sweep_writes(s)) SAC_TRY(open_folder(s));
    if (s->def->halving.reduction > 0) return sac_sweep_halve(s);
    for (int run = 0; run < sac_sweep_runs(s); run++)
    {
        bool over;
        SAC_TRY(look(s, run, &over));
        if (!over) SAC_TRY(sac_sweep_train(s, run, 0, 0));
    }
    return sac_sweep_writes(s) ? sac_sweep_write_results(s) : SAC_OK;
}

sac_status sac_sweep(const sac_sweep_def *def)
{
    sac_sweep_state s = {.def = def, .comm = def->comm};
    if (!s.comm) SAC_TRY(sac_comm_create_self(&s.own_comm));
    if (!s.comm) s.comm = s.own_comm;
    sac_status status = sac_plan_load(&s.plan, def->path);
    if (status == SAC_OK) status = train_all(&s);
    sac_free(s.plan);
    sac_comm_close(s.own_comm, status);
    return status;
}
