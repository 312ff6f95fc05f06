#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "saccade/view.h"

/// Training curves out of the metrics.csv of run folders.

enum
{
    MAX_RUNS = 16,
    FILE_LIMIT = 1 << 28,
    NAME_SIZE = 128
};

enum
{
    GENERATION,
    STEPS,
    SECONDS,
    BEST,
    MEAN,
    EVAL_MEAN,
    EVAL_STD,
    COLUMNS
};

static const char *const names[COLUMNS] = {"generation", "steps", "seconds", "best", "mean", "eval_mean", "eval_std"};

typedef struct metrics
{
    double *values[COLUMNS]; // [count] each; all in one allocation, owned by the first
    int count, evaluated;    // evaluated: rows that hold an evaluation
    char name[NAME_SIZE];
} metrics;

// which field of a row holds which column, from the header
static sac_status read_header(const char *line, int fields[COLUMNS], const char *path)
{
    for (int c = 0; c < COLUMNS; c++)
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

static sac_status read_rows(metrics *m, const char *text, const int fields[COLUMNS], const char *path)
{
    int line = 1;
    // a last row without its end was cut short: it is not there yet
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
    {
        line++;
        for (int c = 0; c < COLUMNS; c++)
            if (!read_field(text, fields[c], &m->values[c][m->count]))
                return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d has no number for '%s'", path, line, names[c]);
        m->evaluated += isfinite(m->values[EVAL_MEAN][m->count]);
        m->count++;
    }
    return m->count > 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "%.200s: no row yet", path);
}

// the folder's name, or that of the file's folder
static void name_run(metrics *m, const char *path)
{
    char text[SAC_PATH_SIZE];
    snprintf(text, sizeof text, "%s", path);
    size_t length = strlen(text);
    const char *tail = "/metrics.csv";
    if (length > strlen(tail) && strcmp(text + length - strlen(tail), tail) == 0) text[length - strlen(tail)] = 0;
    for (length = strlen(text); length > 1 && text[length - 1] == '/'; length--) text[length - 1] = 0;
    const char *slash = strrchr(text, '/');
    snprintf(m->name, sizeof m->name, "%.*s", NAME_SIZE - 1, slash && slash[1] ? slash + 1 : text);
}

static sac_status read_metrics(metrics *m, const char *run)
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
    int fields[COLUMNS];
    name_run(m, run);
    sac_status status = read_header(text, fields, path);
    if (status == SAC_OK && !(m->values[0] = SAC_NEW_ARRAY(double, (lines + 1) * COLUMNS)))
        status = sac_fail_memory("metrics");
    for (int c = 1; status == SAC_OK && c < COLUMNS; c++) m->values[c] = m->values[0] + (lines + 1) * (size_t)c;
    if (status == SAC_OK) status = read_rows(m, rows ? rows + 1 : "", fields, path);
    sac_free(bytes);
    return status;
}

static const double *x_of(const metrics *m, sac_curve_x x)
{
    if (x == SAC_CURVE_MINUTES)
        for (int i = 0; i < m->count; i++) m->values[SECONDS][i] /= 60;
    return m->values[x == SAC_CURVE_STEPS ? STEPS : x == SAC_CURVE_MINUTES ? SECONDS : GENERATION];
}

static int lines_of_one(const metrics *m, const double *x, sac_plot_line *lines)
{
    int count = 0;
    lines[count++] = (sac_plot_line){
        .name = "best of the population", .x = x, .y = m->values[BEST], .count = m->count, .color = 5, .faint = true};
    lines[count++] = (sac_plot_line){.name = "mean of the population",
                                     .x = x,
                                     .y = m->values[MEAN],
                                     .count = m->count,
                                     .color = 1,
                                     .faint = m->evaluated > 0};
    if (m->evaluated)
        lines[count++] = (sac_plot_line){.name = "held-out evaluation \xc2\xb1 std. deviation",
                                         .x = x,
                                         .y = m->values[EVAL_MEAN],
                                         .spread = m->values[EVAL_STD],
                                         .count = m->count};
    return count;
}

static sac_status draw(metrics *runs, int count, sac_curve_x x, const char *title, const char *path)
{
    static const char *const labels[] = {"environment steps", "minutes of training", "generation"};
    sac_plot_line lines[2 * MAX_RUNS + 2];
    int line_count = 0;
    if (count == 1) line_count = lines_of_one(&runs[0], x_of(&runs[0], x), lines);
    for (int i = 0; count > 1 && i < count; i++)
    {
        const metrics *m = &runs[i];
        const double *at = x_of(m, x);
        lines[line_count++] = (sac_plot_line){.name = m->evaluated ? NULL : m->name,
                                              .x = at,
                                              .y = m->values[MEAN],
                                              .count = m->count,
                                              .color = i,
                                              .faint = m->evaluated > 0};
        if (m->evaluated)
            lines[line_count++] = (sac_plot_line){.name = m->name,
                                                  .x = at,
                                                  .y = m->values[EVAL_MEAN],
                                                  .spread = m->values[EVAL_STD],
                                                  .count = m->count,
                                                  .color = i};
    }
    sac_plot plot = {.title = title        ? title
                              : count == 1 ? runs[0].name
                                           : "training curves",
                     .subtitle = count > 1 ? "held-out evaluation \xc2\xb1 one standard deviation; faint: mean of the "
                                             "population"
                                           : NULL,
                     .x_label = labels[x],
                     .y_label = "return",
                     .lines = lines,
                     .line_count = line_count,
                     .mark_x = NAN};
    return sac_plot_write(&plot, path);
}

sac_status sac_plot_curves(const char *const *runs, int count, sac_curve_x x, const char *title, const char *path)
{
    if (count < 1 || count > MAX_RUNS)
        return sac_fail(SAC_ERROR_ARGUMENT, "plot: %d runs, expected 1 to %d", count, MAX_RUNS);
    metrics read[MAX_RUNS];
    memset(read, 0, sizeof read);
    sac_status status = SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) status = read_metrics(&read[i], runs[i]);
    if (status == SAC_OK) status = draw(read, count, x, title, path);
    for (int i = 0; i < count; i++) sac_free(read[i].values[0]);
    return status;
}
