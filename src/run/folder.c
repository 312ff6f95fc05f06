#define _GNU_SOURCE
#include "run/folder.h"

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
#include "run/start.h"

enum
{
    PATIENCE = 10, ///< seconds for the lock
    PAUSE = 50,    ///< milliseconds between two tries
    TRIES = PATIENCE * 1000 / PAUSE,
    HOLDER_SIZE = 320
};

// The lock file names the process that holds it.
static void sign_lock(int file)
{
    struct utsname name;
    if (uname(&name) != 0) memset(&name, 0, sizeof name);
    if (ftruncate(file, 0) == 0) (void)dprintf(file, "process %ld on %s\n", (long)getpid(), name.nodename);
}

// "process 4711 on a-machine"
static void read_holder(int file, char holder[HOLDER_SIZE])
{
    ssize_t size = pread(file, holder, HOLDER_SIZE - 1, 0);
    holder[size > 0 ? size : 0] = 0;
    holder[strcspn(holder, "\n")] = 0;
    // A process that has just begun may not have signed yet.
    if (!holder[0]) snprintf(holder, HOLDER_SIZE, "another process");
}

static sac_status take_lock(sac_folder *folder, const sac_folder_def *def)
{
    char path[SAC_PATH_SIZE], holder[HOLDER_SIZE] = "";
    SAC_TRY(sac_join_path(path, def->run_dir, "checkpoints/lock"));
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return sac_fail(SAC_ERROR_FILE, "%s: %s", path, strerror(errno));
    folder->lock = file + 1;
    for (int i = 0; i < TRIES; i++)
    {
        // A file system without locks must not keep anyone from training.
        bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
        if (locked) sign_lock(file);
        if (locked || (errno != EWOULDBLOCK && errno != EINTR)) return SAC_OK;
        read_holder(file, holder);
        // A process that asks for the state of a run holds the lock for a moment, too.
        if (i == 2)
            sac_log(SAC_LOG_WARNING, "%.400s: %s is training there; waiting up to %d seconds for it to end",
                    def->run_dir, holder, (int)PATIENCE);
        if (def->interrupt && *def->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
        nanosleep(&(struct timespec){.tv_nsec = PAUSE * 1000000}, NULL);
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: %s is training there; stop it first or name another folder",
                    def->run_dir, holder);
}

static sac_status write_task(const sac_folder_def *def, const char *path)
{
    char *text;
    if (def->task) SAC_TRY(sac_start_keep(def->run_dir, def->task));
    SAC_TRY(def->task ? sac_task_write(def->task, &text) : def->other.write(def->other.self, &text));
    sac_status status = sac_write_file(path, text, strlen(text));
    sac_free(text);
    return status;
}

// Write host.json.
static sac_status sign(const char *run_dir, const sac_host *host)
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

sac_status sac_folder_open(sac_folder *folder, const sac_folder_def *def)
{
    char task[SAC_PATH_SIZE], checkpoints[SAC_PATH_SIZE], longest[SAC_PATH_SIZE];
    // A path that is too long for the first checkpoint is refused before anything is made.
    SAC_TRY(sac_join_path(longest, def->run_dir, "checkpoints/100000000.safetensors.tmp"));
    SAC_TRY(sac_join_path(task, def->run_dir, "task.yaml"));
    SAC_TRY(sac_join_path(checkpoints, def->run_dir, "checkpoints"));
    if (access(task, F_OK) == 0 && !def->resume)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%.400s: there is a run already; --resume goes on with it, --run names another", def->run_dir);
    SAC_TRY(sac_make_folders(checkpoints));
    SAC_TRY(take_lock(folder, def));
    bool there = access(task, F_OK) == 0;
    if (there) SAC_TRY(def->task ? sac_task_check_same(def->task, task) : def->other.check_same(def->other.self, task));
    // A folder is a run once it has a task, so host.json, which says how long the run is to be, comes before.
    SAC_TRY(sign(def->run_dir, &def->host));
    return there ? SAC_OK : write_task(def, task);
}

void sac_folder_close(sac_folder *folder)
{
    if (folder->lock) close(folder->lock - 1);
    folder->lock = 0;
}
