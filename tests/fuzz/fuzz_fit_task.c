#include "base/memory.h"
#include "classify/task.h"

#include "fuzz.h"

static sac_status read_task(sac_classify_task **task, const void *data, size_t size)
{
    sac_status status = sac_classify_task_read(task, data, size, "input", NULL, 0);
    fuzz_check_result(status, *task);
    return status;
}

// a resolved task reads back as itself
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_classify_task *task, *again;
    int falls[SAC_CLASSIFY_FALLS];
    if (read_task(&task, data, size) != SAC_OK) return 0;
    char *text, *second;
    fuzz_require(sac_classify_task_write(task, &text) == SAC_OK);
    fuzz_require(read_task(&again, text, strlen(text)) == SAC_OK);
    fuzz_require(sac_classify_task_write(again, &second) == SAC_OK);
    fuzz_require(strcmp(text, second) == 0);
    fuzz_require(sac_classify_task_falls(task, falls) >= 0);
    sac_free(text);
    sac_free(second);
    sac_free(task);
    sac_free(again);
    return 0;
}
