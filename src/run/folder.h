#pragma once

#include "run/task.h"

/// A run's folder as one process holds it: made for a new run, compared with the task for one that goes on, and locked,
/// so that no two processes write into it at once.

typedef struct sac_folder
{
    int lock; ///< descriptor plus one, so that {0} holds nothing
} sac_folder;

/// What a folder says about the process that last trained in it: host.json.
typedef struct sac_host
{
    int ranks, threads;
    uint64_t generations; ///< asked for in total
} sac_host;

/// What a run is of that is no task of a policy.
typedef struct sac_folder_other
{
    const void *self;
    sac_status (*check_same)(const void *self, const char *path); ///< with task.yaml of a run that goes on
    sac_status (*write)(const void *self, char **text);           ///< for a new one's; released by sac_free
} sac_folder_other;

/// Which folder is taken, and for what.
typedef struct sac_folder_def
{
    const char *run_dir;
    const sac_task *task; ///< NULL: `other` stands for it
    sac_folder_other other;
    bool resume;                   ///< go on with a run that is there already
    sac_host host;                 ///< what the folder shall say of this process
    const volatile int *interrupt; ///< nonzero: wait no longer; NULL: never
} sac_folder_def;

/// Take the folder; write host.json and, for a new run, task.yaml. A folder that another process has is waited for some
/// seconds, as that process may be on its way out; the log says at once who has it.
/// @return SAC_ERROR_ARGUMENT when there is a run already and `resume` is false, when it is of another task, or when
///         another process keeps it; SAC_ERROR_INTERRUPTED
SAC_CHECKED sac_status sac_folder_open(sac_folder *folder, const sac_folder_def *def);

/// Let go. {0} is ignored.
void sac_folder_close(sac_folder *folder);
