#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/atomic.h"
#include "files/renamed.h"
#include "files/yaml.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/metrics.h"

/// Runs that differ only in their seed, as one line: median and quartiles at the same x.

enum
{
    MAX_RUNS = 256,
    MAX_LINES = 12,
    POINTS = 160
};

typedef struct run
{
    sac_yaml *task;
    sac_metrics metrics;
    double *x, *y; // [count], the run's evaluations
    int count, line;
} run;

typedef struct line
{
    int first, runs; // first: the run that represents the line
    char name[256];
    double x[POINTS], median[POINTS], low[POINTS], high[POINTS];
} line;

// What may differ between the seeds of one line: the seed itself, and options that change no result.
static bool is_free(const char *key)
{
    static const char *const keys[] = {"train.seed", "train.generations", "train.lanes", "train.checkpoint_every",
                                       NULL};
    for (int i = 0; keys[i]; i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

static bool has_same(const sac_yaml *yaml, const sac_yaml_entry *entry)
{
    const sac_yaml_entry *other = sac_yaml_find_option(yaml, entry->key);
    return other && strcmp(other->value, entry->value) == 0;
}

static bool is_same_task(const sac_yaml *a, const sac_yaml *b)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sac_yaml_count(side ? b : a); i++)
        {
            const sac_yaml_entry *entry = sac_yaml_at(side ? b : a, i);
            if (!is_free(entry->key) && !has_same(side ? a : b, entry)) return false;
        }
    return true;
}

static sac_status load_task(sac_yaml **task, const char *folder)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, folder, "task.yaml"));
    return sac_yaml_load(task, path);
}

bool sac_plot_has_seeds(const char *const *runs, int count)
{
    sac_yaml *tasks[MAX_RUNS] = {NULL};
    bool found = false, all = count >= 2 && count <= MAX_RUNS;
    for (int i = 0; i < count && all; i++)
    {
        all = load_task(&tasks[i], runs[i]) == SAC_OK;
        for (int k = 0; all && k < i; k++) found = found || is_same_task(tasks[k], tasks[i]);
    }
    for (int i = 0; i < count && i < MAX_RUNS; i++) sac_yaml_destroy(tasks[i]);
    return found && all;
}

// --- one run ----------------------------------------------------------------------------------------------------

static sac_status load_run(run *r, const char *folder, sac_curve_x x)
{
    static const int columns[] = {SAC_METRIC_STEPS, SAC_METRIC_SECONDS, SAC_METRIC_GENERATION};
    SAC_TRY(load_task(&r->task, folder));
    SAC_TRY(sac_metrics_read(&r->metrics, folder));
    const sac_metrics *m = &r->metrics;
    r->x = m->values[columns[x]];
    r->y = m->values[SAC_METRIC_EVAL_MEAN];
    for (int i = 0; i < m->count; i++)
        if (isfinite(r->y[i]))
        {
            r->x[r->count] = r->x[i] / (x == SAC_CURVE_MINUTES ? 60 : 1);
            r->y[r->count++] = r->y[i];
        }
    return r->count >= 2 ? SAC_OK
                         : sac_fail(SAC_ERROR_ARGUMENT, "%s: %d evaluations, a line needs two", folder, r->count);
}

// Compute a run's evaluation at x, linearly between two of them.
static double value_at(const run *r, double x)
{
    int i = 1;
    while (i < r->count - 1 && r->x[i] < x) i++;
    double width = r->x[i] - r->x[i - 1], part = width > 0 ? (x - r->x[i - 1]) / width : 1;
    return r->y[i - 1] + part * (r->y[i] - r->y[i - 1]);
}

// --- one line ---------------------------------------------------------------------------------------------------

// Compute a quantile of sorted values, linearly between two of them.
static double quantile(const double *values, int count, double share)
{
    double at = share * (count - 1);
    int i = (int)at < count - 1 ? (int)at : count - 1, next = i + 1 < count ? i + 1 : i;
    return values[i] + (at - i) * (values[next] - values[i]);
}

static void fill_line(line *l, const run *runs, int count, int index)
{
    double first = -INFINITY, last = INFINITY;
    for (int i = 0; i < count; i++)
    {
        if (runs[i].line != index) continue;
        first = fmax(first, runs[i].x[0]);
        last = fmin(last, runs[i].x[runs[i].count - 1]);
    }
    for (int p = 0; p < POINTS; p++)
    {
        double values[MAX_RUNS];
        int found = 0;
        l->x[p] = first <= last ? first + (last - first) * p / (POINTS - 1) : NAN;
        for (int i = 0; i < count; i++)
            if (runs[i].line == index) values[found++] = value_at(&runs[i], l->x[p]);
        sac_sort_numbers(values, (size_t)found);
        l->median[p] = quantile(values, found, 0.5);
        l->low[p] = quantile(values, found, 0.25);
        l->high[p] = quantile(values, found, 0.75);
    }
}

// Name what differs between the lines, with this line's values.
static void name_line(line *l, const run *runs, const line *lines, int line_count)
{
    const sac_yaml *mine = runs[l->first].task;
    size_t at = 0;
    l->name[0] = 0;
    for (int i = 0; i < sac_yaml_count(mine); i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(mine, i);
        bool differs = false;
        for (int k = 0; k < line_count; k++) differs = differs || !has_same(runs[lines[k].first].task, entry);
        if (!differs || is_free(entry->key) || at >= sizeof l->name) continue;
        const char *key = strrchr(entry->key, '.') ? strrchr(entry->key, '.') + 1 : entry->key;
        at += (size_t)snprintf(l->name + at, sizeof l->name - at, "%s%s %s", at ? ", " : "", key, entry->value);
    }
    if (at >= sizeof l->name) at = sizeof l->name - 1;
    snprintf(l->name + at, sizeof l->name - at, "%s%d seed%s", at ? ", " : "", l->runs, l->runs == 1 ? "" : "s");
}

static sac_status group(line *lines, int *line_count, run *runs, int count)
{
    *line_count = 0;
    for (int i = 0; i < count; i++)
    {
        int l = 0;
        while (l < *line_count && !is_same_task(runs[lines[l].first].task, runs[i].task)) l++;
        if (l == MAX_LINES) return sac_fail(SAC_ERROR_ARGUMENT, "plot: more than %d different tasks", MAX_LINES);
        if (l == *line_count) lines[(*line_count)++].first = i;
        lines[l].runs++;
        runs[i].line = l;
    }
    for (int l = 0; l < *line_count; l++)
    {
        fill_line(&lines[l], runs, count, l);
        name_line(&lines[l], runs, lines, *line_count);
    }
    return SAC_OK;
}

static sac_status draw(run *runs, line *lines, int count, sac_curve_x x, const char *title, const char *path)
{
    static const char *const labels[] = {"environment steps", "minutes of training", "generation"};
    sac_plot_line drawn[MAX_LINES];
    int line_count;
    SAC_TRY(group(lines, &line_count, runs, count));
    for (int l = 0; l < line_count; l++)
        drawn[l] = (sac_plot_line){.name = lines[l].name,
                                   .x = lines[l].x,
                                   .y = lines[l].median,
                                   .low = lines[l].low,
                                   .high = lines[l].high,
                                   .count = POINTS,
                                   .color = l};
    return sac_plot_write(&(sac_plot){.title = title ? title : "held-out evaluation over seeds",
                                      .subtitle = "median; band: lower to upper quartile",
                                      .x_label = labels[x],
                                      .y_label = "return",
                                      .lines = drawn,
                                      .line_count = line_count,
                                      .mark_x = NAN},
                          path);
}

sac_status sac_plot_medians(const char *const *folders, int count, sac_curve_x x, const char *title, const char *path)
{
    if (count < 2 || count > MAX_RUNS)
        return sac_fail(SAC_ERROR_ARGUMENT, "plot: %d runs, expected 2 to %d", count, MAX_RUNS);
    run *runs = SAC_NEW_ARRAY(run, (size_t)count);
    line *lines = SAC_NEW_ARRAY(line, MAX_LINES);
    sac_status status = runs && lines ? SAC_OK : sac_fail_memory("curves");
    for (int i = 0; i < count && status == SAC_OK; i++) status = load_run(&runs[i], folders[i], x);
    if (status == SAC_OK) status = draw(runs, lines, count, x, title, path);
    for (int i = 0; runs && i < count; i++)
    {
        sac_yaml_destroy(runs[i].task);
        sac_metrics_clear(&runs[i].metrics);
    }
    sac_free(runs);
    sac_free(lines);
    return status;
}
