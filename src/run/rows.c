#include "run/rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/append.h"
#include "files/atomic.h"

struct sac_rows
{
    sac_append *file;
};

// bytes of the first line and of the whole rows up to `generation`
static sac_status count_kept(const char *path, uint64_t generation, uint64_t *kept)
{
    uint8_t *bytes;
    size_t size;
    *kept = 0;
    if (generation == 0 || access(path, F_OK) != 0) return SAC_OK;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    for (char *row = (char *)bytes, *end; (end = strchr(row, '\n')); row = end + 1)
    {
        if (row != (char *)bytes && strtoull(row, NULL, 10) > generation) break;
        *kept = (uint64_t)(end + 1 - (char *)bytes);
    }
    sac_free(bytes);
    return SAC_OK;
}

sac_status sac_rows_open(sac_rows **out, const char *run_dir, const char *name, const char *header, uint64_t generation)
{
    char path[SAC_PATH_SIZE];
    uint64_t kept;
    *out = NULL;
    SAC_TRY(sac_join_path(path, run_dir, name));
    SAC_TRY(count_kept(path, generation, &kept));
    sac_rows *rows = SAC_NEW(sac_rows);
    if (!rows) return sac_fail_memory(name);
    sac_status status = sac_append_open(&rows->file, path, kept);
    if (status == SAC_OK && kept == 0) status = sac_append_print(rows->file, "%s\n", header);
    if (status != SAC_OK)
    {
        (void)sac_rows_close(rows);
        return status;
    }
    *out = rows;
    return SAC_OK;
}

sac_status sac_rows_close(sac_rows *rows)
{
    if (!rows) return SAC_OK;
    sac_status status = sac_append_close(rows->file);
    sac_free(rows);
    return status;
}

sac_status sac_rows_add(sac_rows *rows, uint64_t generation, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    SAC_ASSERT(length < (int)sizeof text);
    (void)length;
    SAC_TRY(sac_append_print(rows->file, "%" PRIu64 ",%s\n", generation, text));
    return sac_append_flush(rows->file);
}
