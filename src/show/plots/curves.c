#include <math.h>
#include <string.h>

#include "base/error.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/metrics.h"

/// Training curves from the metrics.csv of run folders.

enum
{
    MAX_RUNS = 16
};

static const double *x_of(const sac_metrics *m, sac_curve_x x)
{
    if (x == SAC_CURVE_MINUTES)
        for (int i = 0; i < m->count; i++) m->values[SAC_METRIC_SECONDS][i] /= 60;
    return m->values[x == SAC_CURVE_STEPS     ? SAC_METRIC_STEPS
                     : x == SAC_CURVE_MINUTES ? SAC_METRIC_SECONDS
                                              : SAC_METRIC_GENERATION];
}

static int lines_of_one(const sac_metrics *m, const double *x, sac_plot_line *lines)
{
    int count = 0;
    lines[count++] = (sac_plot_line){.name = "best of the population",
                                     .x = x,
                                     .y = m->values[SAC_METRIC_BEST],
                                     .count = m->count,
                                     .color = 5,
                                     .faint = true};
    lines[count++] = (sac_plot_line){.name = "mean of the population",
                                     .x = x,
                                     .y = m->values[SAC_METRIC_MEAN],
                                     .count = m->count,
                                     .color = 1,
                                     .faint = m->evaluated > 0};
    if (m->evaluated)
        lines[count++] = (sac_plot_line){.name = "held-out evaluation \xc2\xb1 std. deviation",
                                         .x = x,
                                         .y = m->values[SAC_METRIC_EVAL_MEAN],
                                         .spread = m->values[SAC_METRIC_EVAL_STD],
                                         .count = m->count};
    return count;
}

static sac_status draw(sac_metrics *runs, int count, sac_curve_x x, const char *title, const char *path)
{
    static const char *const labels[] = {"environment steps", "minutes of training", "generation"};
    sac_plot_line lines[2 * MAX_RUNS + 2];
    int line_count = 0;
    if (count == 1) line_count = lines_of_one(&runs[0], x_of(&runs[0], x), lines);
    for (int i = 0; count > 1 && i < count; i++)
    {
        const sac_metrics *m = &runs[i];
        const double *at = x_of(m, x);
        lines[line_count++] = (sac_plot_line){.name = m->evaluated ? NULL : m->name,
                                              .x = at,
                                              .y = m->values[SAC_METRIC_MEAN],
                                              .count = m->count,
                                              .color = i,
                                              .faint = m->evaluated > 0};
        if (m->evaluated)
            lines[line_count++] = (sac_plot_line){.name = m->name,
                                                  .x = at,
                                                  .y = m->values[SAC_METRIC_EVAL_MEAN],
                                                  .spread = m->values[SAC_METRIC_EVAL_STD],
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
    sac_metrics read[MAX_RUNS];
    memset(read, 0, sizeof read);
    sac_status status = SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) status = sac_metrics_read(&read[i], runs[i]);
    if (status == SAC_OK) status = draw(read, count, x, title, path);
    for (int i = 0; i < count; i++) sac_metrics_clear(&read[i]);
    return status;
}
