#include "view/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 1 << 28
};

static const char *const names[SAC_METRIC_COLUMNS] = {"generation", "steps",     "seconds", "best",
                                                      "mean",       "eval_mean", "eval_std"};

// which field of a row holds which column, from the header
static sac_status read_header(const char *line, int fields[SAC_METRIC_COLUMNS], const char *path)
{
    for (int c = 0; c < SAC_METRIC_COLUMNS; c++)
    {
        fields[c] = -1;
        const char *at = line;
        for (int field = 0; *at && fields[c] < 0; field++)
        {
            size_t length = strcspn(at, ",\r\n");
            if (length == strlen(names[c]) && strncmp(at, names[c], length) == 0) fields[c] = field;
            at += length;
            if (*at != ',') break;
            at++;
        }
        if (fields[c] < 0)
            return sac_fail(SAC_ERROR_FORMAT, "%.200s: line 1 names no column '%s'; expected the metrics of a run",
                            path, names[c]);
    }
    return SAC_OK;
}

// an empty field is NaN; false where the text is no number
static bool read_field(const char *line, int field, double *value)
{
    for (; field > 0; field--)
    {
        line += strcspn(line, ",\r\n");
        if (*line++ != ',') return false;
    }
    *value = NAN;
    if (*line == ',' || *line == '\r' || *line == '\n') return true;
    char *end;
    *value = strtod(line, &end);
    return end != line && (*end == ',' || *end == '\r' || *end == '\n');
}

static sac_status read_rows(sac_metrics *m, const char *text, const int fields[SAC_METRIC_COLUMNS], const char *path)
{
    int line = 1;
    // a last row without its end was cut short: it is not there yet
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
    {
        line++;
        for (int c = 0; c < SAC_METRIC_COLUMNS; c++)
            if (!read_field(text, fields[c], &m->values[c][m->count]))
                return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d has no number for '%s'", path, line, names[c]);
        m->evaluated += isfinite(m->values[SAC_METRIC_EVAL_MEAN][m->count]);
        m->count++;
    }
    return m->count > 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "%.200s: no row yet", path);
}

// the folder's name, or that of the file's folder
static void name_run(sac_metrics *m, const char *path)
{
    char text[SAC_PATH_SIZE];
    snprintf(text, sizeof text, "%s", path);
    size_t length = strlen(text);
    const char *tail = "/metrics.csv";
    if (length > strlen(tail) && strcmp(text + length - strlen(tail), tail) == 0) text[length - strlen(tail)] = 0;
    for (length = strlen(text); length > 1 && text[length - 1] == '/'; length--) text[length - 1] = 0;
    const char *slash = strrchr(text, '/');
    snprintf(m->name, sizeof m->name, "%.*s", SAC_METRICS_NAME_SIZE - 1, slash && slash[1] ? slash + 1 : text);
}

sac_status sac_metrics_read(sac_metrics *m, const char *run)
{
    char path[SAC_PATH_SIZE];
    struct stat facts;
    if (stat(run, &facts) == 0 && S_ISDIR(facts.st_mode))
        SAC_TRY(sac_join_path(path, run, "metrics.csv"));
    else
        snprintf(path, sizeof path, "%s", run);
    uint8_t *bytes;
    size_t size, lines = 0;
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    const char *text = (const char *)bytes, *rows = strchr(text, '\n');
    int fields[SAC_METRIC_COLUMNS];
    name_run(m, run);
    sac_status status = read_header(text, fields, path);
    if (status == SAC_OK && !(m->values[0] = SAC_NEW_ARRAY(double, (lines + 1) * SAC_METRIC_COLUMNS)))
        status = sac_fail_memory("metrics");
    for (int c = 1; status == SAC_OK && c < SAC_METRIC_COLUMNS; c++)
        m->values[c] = m->values[0] + (lines + 1) * (size_t)c;
    if (status == SAC_OK) status = read_rows(m, rows ? rows + 1 : "", fields, path);
    sac_free(bytes);
    return status;
}

void sac_metrics_clear(sac_metrics *m)
{
    sac_free(m->values[0]);
    m->values[0] = NULL;
}
