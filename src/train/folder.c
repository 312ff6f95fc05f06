#define _GNU_SOURCE
#include "train/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "train/start.h"

enum
{
    TRIES = 200, ///< for the lock
    PAUSE = 50   ///< milliseconds between them
};

static sac_status take_lock(sac_folder *folder, const sac_train_def *def)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, def->run_dir, "checkpoints/lock"));
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return sac_fail(SAC_ERROR_FILE, "%s: %s", path, strerror(errno));
    folder->lock = file + 1;
    for (int i = 0; i < TRIES; i++)
    {
        // a file system without locks must not keep anyone from training
        if (flock(file, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return SAC_OK;
        if (def->interrupt && *def->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
        nanosleep(&(struct timespec){.tv_nsec = PAUSE * 1000000}, NULL);
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: another process is training there, stop it first or name another --run",
                    def->run_dir);
}

static sac_status write_task(const sac_train_def *def, const char *path)
{
    char *text;
    SAC_TRY(sac_start_keep(def->run_dir, def->task->train.start));
    SAC_TRY(sac_task_write(def->task, &text));
    sac_status status = sac_write_file(path, text, strlen(text));
    sac_free(text);
    return status;
}

sac_status sac_folder_open(sac_folder *folder, const sac_train_def *def)
{
    char task[SAC_PATH_SIZE], checkpoints[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(task, def->run_dir, "task.yaml"));
    SAC_TRY(sac_join_path(checkpoints, def->run_dir, "checkpoints"));
    if (access(task, F_OK) == 0 && !def->resume)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: there is a run already; --resume goes on with it, --run names another",
                        def->run_dir);
    SAC_TRY(sac_make_folders(checkpoints));
    SAC_TRY(take_lock(folder, def));
    return access(task, F_OK) == 0 ? sac_task_check_same(def->task, task) : write_task(def, task);
}

sac_status sac_folder_sign(const char *run_dir, const sac_host *host)
{
    char path[SAC_PATH_SIZE], when[32];
    SAC_TRY(sac_join_path(path, run_dir, "host.json"));
    struct utsname name;
    if (uname(&name) != 0) memset(&name, 0, sizeof name);
    time_t clock = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&clock, &utc));
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:I, s:i, s:i, s:s, s:I, s:s}", "version", sac_version(), "host", name.nodename, "machine",
        name.machine, "process", (json_int_t)getpid(), "ranks", host->ranks, "threads", host->threads, "cpu_level",
        sac_cpu_level_name(sac_get_cpu_level()), "generations", (json_int_t)host->generations, "started", when);
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    sac_status status = text ? sac_write_file(path, text, strlen(text)) : sac_fail_memory("host.json");
    free(text);
    return status;
}

void sac_folder_close(sac_folder *folder)
{
    if (folder->lock) close(folder->lock - 1);
    folder->lock = 0;
}
