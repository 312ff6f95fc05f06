#include "show/plots/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "show/plots/table.h"

enum
{
    FILE_LIMIT = 1 << 28
};

static const char *const names[SAC_METRIC_COLUMNS] = {"generation", "steps",     "seconds", "best",
                                                      "mean",       "eval_mean", "eval_std"};

static sac_status take_rows(sac_metrics *m, const sac_table *t)
{
    int columns[SAC_METRIC_COLUMNS];
    SAC_TRY(sac_table_columns(t, names, columns, SAC_METRIC_COLUMNS, "the metrics of a run"));
    if (t->rows == 0) return sac_fail(SAC_ERROR_FORMAT, "%.200s: no row yet", t->path);
    m->values[0] = SAC_NEW_MATRIX(double, (size_t)t->rows, SAC_METRIC_COLUMNS);
    if (!m->values[0]) return sac_fail_memory("metrics");
    for (int c = 0; c < SAC_METRIC_COLUMNS; c++)
    {
        m->values[c] = m->values[0] + (size_t)t->rows * (size_t)c;
        for (int row = 0; row < t->rows; row++)
        {
            const char *cell = sac_table_cell(t, row, columns[c]);
            m->values[c][row] = sac_table_number(t, row, columns[c]);
            // A cell is empty, or holds printf's words for a number that is not finite.
            if (isnan(m->values[c][row]) && cell[strspn(cell, "-ainf")])
                return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d has no number for '%s'", t->path, row + 2, names[c]);
        }
    }
    m->count = t->rows;
    for (int row = 0; row < t->rows; row++) m->evaluated += isfinite(m->values[SAC_METRIC_EVAL_MEAN][row]);
    return SAC_OK;
}

// Take the folder's name, or the name of the file's folder.
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
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    // A last row without its end of line was cut short and is ignored.
    while (size > 0 && bytes[size - 1] != '\n') bytes[--size] = 0;
    name_run(m, run);
    sac_table table;
    sac_status status = sac_table_parse(&table, (char *)bytes, path);
    if (status == SAC_OK) status = take_rows(m, &table);
    sac_table_clear(&table);
    return status;
}

void sac_metrics_clear(sac_metrics *m)
{
    sac_free(m->values[0]);
    m->values[0] = NULL;
}
