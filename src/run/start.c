#include "run/start.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 1 << 30
};

static sac_status copy(const char *run_dir, const char *name, const char *from)
{
    char path[SAC_PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_join_path(path, run_dir, name));
    SAC_TRY(sac_read_file(&bytes, &size, from, FILE_LIMIT));
    sac_status status = sac_write_file(path, bytes, size);
    sac_free(bytes);
    return status;
}

sac_status sac_start_keep(const char *run_dir, const sac_task *task)
{
    const char *start = task->train.start, *teacher = task->teacher.policy;
    if (strcmp(start, "zeros") != 0 && strcmp(start, "draw") != 0) SAC_TRY(copy(run_dir, SAC_START_FILE, start));
    return teacher[0] ? copy(run_dir, SAC_TEACHER_FILE, teacher) : SAC_OK;
}
