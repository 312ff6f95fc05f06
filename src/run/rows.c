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

enum
{
    ROW_SIZE = 512
};

struct sac_rows
{
    sac_append *file;
    char last[ROW_SIZE];
};

// bytes of the first line and of the whole rows up to `generation`, and the last of these rows
static sac_status count_kept(const char *path, uint64_t generation, uint64_t *kept, char last[ROW_SIZE])
{
    uint8_t *bytes;
    size_t size;
    *kept = 0;
    if (access(path, F_OK) != 0) return SAC_OK;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    for (char *row = (char *)bytes, *end; (end = strchr(row, '\n')); row = end + 1)
    {
        *end = 0;
        if (row != (char *)bytes && strtoull(row, NULL, 10) > generation) break;
        if (row != (char *)bytes) snprintf(last, ROW_SIZE, "%s", row);
        *kept = (uint64_t)(end + 1 - (char *)bytes);
    }
    sac_free(bytes);
    return SAC_OK;
}

sac_status sac_rows_open(sac_rows **out, const char *run_dir, const char *name, const char *header, uint64_t generation,
                         bool anew)
{
    char path[SAC_PATH_SIZE];
    uint64_t kept = 0;
    *out = NULL;
    SAC_TRY(sac_join_path(path, run_dir, name));
    sac_rows *rows = SAC_NEW(sac_rows);
    if (!rows) return sac_fail_memory(name);
    sac_status status = anew ? SAC_OK : count_kept(path, generation, &kept, rows->last);
    if (status == SAC_OK) status = sac_append_open(&rows->file, path, kept);
    if (status == SAC_OK && kept == 0) status = sac_append_print(rows->file, "%s\n", header);
    if (status != SAC_OK)
    {
        (void)sac_rows_close(rows);
        return status;
    }
    *out = rows;
    return SAC_OK;
}

const char *sac_rows_last(const sac_rows *rows)
{
    return rows->last;
}

sac_status sac_rows_close(sac_rows *rows)
{
    if (!rows) return SAC_OK;
    sac_status status = sac_append_close(rows->file);
    sac_free(rows);
    return status;
}

static sac_status add(sac_rows *rows, uint64_t generation, const char *format, va_list list)
{
    char text[ROW_SIZE - 24]; // beside a generation
    int length = vsnprintf(text, sizeof text, format, list);
    SAC_ASSERT(length < (int)sizeof text);
    (void)length;
    return sac_append_print(rows->file, "%" PRIu64 ",%s\n", generation, text);
}

sac_status sac_rows_add_quietly(sac_rows *rows, uint64_t generation, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sac_status status = add(rows, generation, format, list);
    va_end(list);
    return status;
}

sac_status sac_rows_add(sac_rows *rows, uint64_t generation, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sac_status status = add(rows, generation, format, list);
    va_end(list);
    return status == SAC_OK ? sac_rows_show(rows) : status;
}

sac_status sac_rows_show(sac_rows *rows)
{
    return sac_append_flush(rows->file);
}
