#include "run/start.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 1 << 30
};

sac_status sac_start_keep(const char *run_dir, const char *start)
{
    if (strcmp(start, "zeros") == 0 || strcmp(start, "draw") == 0) return SAC_OK;
    char path[SAC_PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_join_path(path, run_dir, SAC_START_FILE));
    SAC_TRY(sac_read_file(&bytes, &size, start, FILE_LIMIT));
    sac_status status = sac_write_file(path, bytes, size);
    sac_free(bytes);
    return status;
}
