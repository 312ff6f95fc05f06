#define _GNU_SOURCE // memfd_create
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/task.h"
#include "saccade/train.h"

#include "fuzz.h"

// a task is read from a file: this one is in memory
static sac_status load(sac_task **task, const void *data, size_t size)
{
    int file = memfd_create("task", 0);
    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sac_status status = sac_task_load(task, path, NULL, 0);
    close(file);
    fuzz_check_result(status, *task);
    return status;
}

// a resolved task reads back as itself
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_task *task, *again;
    if (load(&task, data, size) != SAC_OK) return 0;
    char *text, *second;
    fuzz_require(sac_task_write(task, &text) == SAC_OK);
    fuzz_require(load(&again, text, strlen(text)) == SAC_OK);
    fuzz_require(sac_task_write(again, &second) == SAC_OK);
    fuzz_require(strcmp(text, second) == 0);
    sac_free(text);
    sac_free(second);
    sac_task_destroy(task);
    sac_task_destroy(again);
    return 0;
}
