#include "run/event_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/append.h"
#include "files/atomic.h"

struct sac_event_lines
{
    sac_append *file;
};

// bytes of the lines up to `generation`, before the first that is no event
static sac_status count_kept(const char *path, uint64_t generation, uint64_t *kept)
{
    static const char key[] = "\"generation\": ";
    uint8_t *bytes;
    size_t size;
    *kept = 0;
    if (access(path, F_OK) != 0) return SAC_OK;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    for (char *line = (char *)bytes, *end; (end = strchr(line, '\n')); line = end + 1)
    {
        *end = 0;
        uint64_t of;
        const char *at = strstr(line, key);
        if (!at || sscanf(at + sizeof key - 1, "%" SCNu64, &of) != 1 || of > generation) break;
        *kept = (uint64_t)(end + 1 - (char *)bytes);
    }
    sac_free(bytes);
    return SAC_OK;
}

sac_status sac_event_lines_open(sac_event_lines **out, const char *run_dir, uint64_t generation, bool anew)
{
    char path[SAC_PATH_SIZE];
    uint64_t kept = 0;
    *out = NULL;
    SAC_TRY(sac_join_path(path, run_dir, "events.jsonl"));
    if (!anew) SAC_TRY(count_kept(path, generation, &kept));
    sac_event_lines *lines = SAC_NEW(sac_event_lines);
    if (!lines) return sac_fail_memory("events.jsonl");
    sac_status status = sac_append_open(&lines->file, path, kept);
    if (status != SAC_OK)
    {
        sac_free(lines);
        return status;
    }
    *out = lines;
    return SAC_OK;
}

sac_status sac_event_lines_close(sac_event_lines *lines)
{
    if (!lines) return SAC_OK;
    sac_status status = sac_append_close(lines->file);
    sac_free(lines);
    return status;
}

sac_status sac_event_lines_add(sac_event_lines *lines, uint64_t generation, const char *event, const char *text)
{
    char when[32];
    time_t clock = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&clock, &utc));
    json_t *root = json_pack("{s:I, s:s, s:s, s:s}", "generation", (json_int_t)generation, "event", event, "text", text,
                             "time", when);
    char *line = root ? json_dumps(root, JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    sac_status status = line ? sac_append_print(lines->file, "%s\n", line) : sac_fail_memory("an event");
    free(line);
    return status;
}

sac_status sac_event_lines_show(sac_event_lines *lines)
{
    return sac_append_flush(lines->file);
}
