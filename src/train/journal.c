#include "train/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

enum { PATH_SIZE = 1024 };

static const char header[] = "generation,steps,seconds,best,mean,std,eval_mean,eval_std,eval_episodes,sigma\n";

struct sac_journal
{
    FILE *metrics, *events;
    char metrics_path[PATH_SIZE], events_path[PATH_SIZE];
};

// the generation of a CSV row or of a JSON line; false for anything else, such as a row that a crash cut short
static bool row_generation(const char *row, bool json, uint64_t *generation)
{
    const char *at = row;
    if (json)
    {
        at = strstr(row, "\"generation\": ");
        if (!at) return false;
        at += strlen("\"generation\": ");
    }
    char *end;
    *generation = strtoull(at, &end, 10);
    return end != at && (*end == ',' || *end == '}');
}

static double row_seconds(const char *row)
{
    const char *comma = strchr(row, ',');
    comma = comma ? strchr(comma + 1, ',') : NULL;
    return comma ? strtod(comma + 1, NULL) : 0;
}

// drops the rows beyond `generation` and a last row without an end; a missing file gets `first_line`
static sac_status cut(const char *path, const char *first_line, bool json, uint64_t generation, double *seconds)
{
    if (access(path, F_OK) != 0 || generation == 0) return sac_write_file(path, first_line, strlen(first_line));
    uint8_t *bytes;
    size_t size, kept = 0;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    char *text = (char *)bytes, *out = text;
    for (char *row = text, *end; (end = strchr(row, '\n')); row = end + 1)
    {
        size_t length = (size_t)(end - row) + 1;
        uint64_t of_row;
        *end = 0;
        bool keep = row_generation(row, json, &of_row) ? of_row <= generation : row == text && !json;
        if (keep && seconds && row != text) *seconds = row_seconds(row);
        *end = '\n';
        if (!keep) continue;
        memmove(out + kept, row, length);
        kept += length;
    }
    sac_status status = sac_write_file(path, text, kept);
    sac_free(bytes);
    return status;
}

static FILE *open_append(const char *path) { return fopen(path, "a"); }

sac_status sac_journal_open(sac_journal **out, const char *run_dir, uint64_t generation, double *seconds)
{
    *out = NULL;
    *seconds = 0;
    sac_journal *j = SAC_NEW(sac_journal);
    if (!j) return sac_fail_memory("the journal");
    snprintf(j->metrics_path, PATH_SIZE, "%s/metrics.csv", run_dir);
    snprintf(j->events_path, PATH_SIZE, "%s/events.jsonl", run_dir);
    sac_status status = cut(j->metrics_path, header, false, generation, seconds);
    if (status == SAC_OK) status = cut(j->events_path, "", true, generation, NULL);
    if (status == SAC_OK)
    {
        j->metrics = open_append(j->metrics_path);
        j->events = open_append(j->events_path);
        if (!j->metrics || !j->events) status = sac_fail(SAC_ERROR_FILE, "%s: cannot write metrics.csv", run_dir);
    }
    if (status != SAC_OK)
    {
        sac_journal_close(j);
        return status;
    }
    *out = j;
    return SAC_OK;
}

void sac_journal_close(sac_journal *j)
{
    if (!j) return;
    if (j->metrics) fclose(j->metrics);
    if (j->events) fclose(j->events);
    sac_free(j);
}

static sac_status written(const char *path, bool ok)
{
    return ok ? SAC_OK : sac_fail(SAC_ERROR_FILE, "%s: cannot be written (is the disk full?)", path);
}

sac_status sac_journal_write(sac_journal *j, const sac_progress *p)
{
    char evaluation[128] = ",,";
    if (p->evaluated)
        snprintf(evaluation, sizeof evaluation, "%.6f,%.6f,%d", p->evaluation.mean, p->evaluation.std,
                 p->evaluation.episodes);
    int count = fprintf(j->metrics, "%" PRIu64 ",%" PRIu64 ",%.3f,%.6f,%.6f,%.6f,%s,%.9g\n", p->generation, p->steps,
                        p->seconds, p->best, p->mean, p->std, evaluation, p->sigma);
    return written(j->metrics_path, count > 0 && fflush(j->metrics) == 0);
}

sac_status sac_journal_event(sac_journal *j, uint64_t generation, const char *event, const char *text)
{
    char when[32];
    time_t clock = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&clock, &utc));
    json_t *root = json_pack("{s:I, s:s, s:s, s:s}", "generation", (json_int_t)generation, "event", event, "text", text,
                             "time", when);
    char *line = root ? json_dumps(root, JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    if (!line) return sac_fail_memory("an event");
    bool ok = fprintf(j->events, "%s\n", line) > 0 && fflush(j->events) == 0;
    free(line);
    return written(j->events_path, ok);
}

sac_status sac_journal_sync(sac_journal *j)
{
    bool ok = fflush(j->metrics) == 0 && fdatasync(fileno(j->metrics)) == 0;
    return written(j->metrics_path, ok && fflush(j->events) == 0 && fdatasync(fileno(j->events)) == 0);
}
