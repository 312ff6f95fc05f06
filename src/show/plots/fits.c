#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/table.h"

/// What nets that classify pictures get wrong, over epochs: of the test pictures as a line for each run, and of those
/// that they learn from, as these are drawn, faintly.

enum
{
    MAX_RUNS = 6, // as many as there are colours
    EPOCH = 0,
    TRAIN,
    TEST,
    COLUMNS,
    NAME_SIZE = 96
};

static const char *const column_names[COLUMNS] = {"epoch", "accuracy", "test_accuracy"};

typedef struct curve
{
    char name[NAME_SIZE];
    double *numbers; // [COLUMNS, rows]
    int rows;
} curve;

// the last part of a path; of RUN/metrics.csv that of the run
static void name_run(char name[NAME_SIZE], const char *path)
{
    const char *end = strstr(path, "/metrics.csv");
    size_t length = end ? (size_t)(end - path) : strlen(path);
    while (length > 0 && path[length - 1] == '/') length--;
    size_t first = length;
    while (first > 0 && path[first - 1] != '/') first--;
    snprintf(name, NAME_SIZE, "%.*s", (int)(length - first), path + first);
}

static sac_status read_curve(curve *c, const char *run)
{
    char path[SAC_PATH_SIZE];
    sac_table table;
    int at[COLUMNS];
    name_run(c->name, run);
    if (sac_is_folder(run))
        SAC_TRY(sac_join_path(path, run, "metrics.csv"));
    else
        snprintf(path, sizeof path, "%s", run);
    sac_status status = sac_table_read(&table, path);
    if (status == SAC_OK) status = sac_table_columns(&table, column_names, at, COLUMNS, "metrics of saccade fit");
    c->rows = status == SAC_OK ? table.rows : 0;
    c->numbers = status == SAC_OK ? SAC_NEW_MATRIX(double, COLUMNS, (size_t)c->rows) : NULL;
    if (status == SAC_OK && !c->numbers) status = sac_fail_memory("a plot");
    for (int column = 0; status == SAC_OK && column < COLUMNS; column++)
        for (int row = 0; row < c->rows; row++)
        {
            const double number = sac_table_number(&table, row, at[column]);
            c->numbers[column * c->rows + row] = column == EPOCH ? number : 100 * (1 - number);
        }
    sac_table_clear(&table);
    return status;
}

static sac_status draw(const curve *curves, int count, const char *title, const char *path)
{
    sac_plot_line lines[2 * MAX_RUNS];
    int line_count = 0;
    for (int kind = TRAIN; kind <= TEST; kind++)
        for (int i = 0; i < count; i++)
            lines[line_count++] = (sac_plot_line){.name = kind == TEST ? curves[i].name : NULL,
                                                  .x = curves[i].numbers,
                                                  .y = curves[i].numbers + (ptrdiff_t)kind * curves[i].rows,
                                                  .count = curves[i].rows,
                                                  .color = i,
                                                  .faint = kind == TRAIN};
    const sac_plot plot = {.title = title        ? title
                                    : count == 1 ? curves[0].name
                                                 : "Wrong answers",
                           .subtitle = "of test pictures; faint: of those that it learns from, as they are drawn",
                           .x_label = "epochs",
                           .y_label = "wrong, %",
                           .lines = lines,
                           .line_count = line_count,
                           .mark_x = (double)NAN,
                           .from_zero = true};
    return sac_plot_write(&plot, path);
}

sac_status sac_plot_fits(const char *const *runs, int count, const char *title, const char *path)
{
    curve curves[MAX_RUNS] = {0};
    if (count < 1 || count > MAX_RUNS)
        return sac_fail(SAC_ERROR_ARGUMENT, "plot: %d runs of saccade fit, expected 1 to %d", count, (int)MAX_RUNS);
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < count; i++) status = read_curve(&curves[i], runs[i]);
    if (status == SAC_OK) status = draw(curves, count, title, path);
    for (int i = 0; i < count; i++) sac_free(curves[i].numbers);
    return status;
}
