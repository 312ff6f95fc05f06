#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/table.h"

/// The importance of every patch of one image as a heat plot, or what each contributes.

enum
{
    NUMBERED = 10,
    MOST_PATCHES = 1 << 20
};

typedef struct field
{
    double *values; // [rows, columns]
    int *numbers;
    int rows, columns;
    bool contributes; // what patches contribute, not their importance
} field;

static sac_status read_field(field *f, const sac_table *t)
{
    f->contributes = sac_table_find(t, "contribution") >= 0;
    const char *const names[] = {"row", "column", f->contributes ? "contribution" : "importance", "rank"};
    int at[4];
    SAC_TRY(sac_table_columns(t, names, at, 4, "a table of attend"));
    for (int i = 0; i < t->rows; i++)
    {
        double row = sac_table_number(t, i, at[0]), column = sac_table_number(t, i, at[1]);
        if (!(row >= 0 && row < MOST_PATCHES && column >= 0 && column < MOST_PATCHES))
            return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d names no patch", t->path, i + 2);
        f->rows = row + 1 > f->rows ? (int)row + 1 : f->rows;
        f->columns = column + 1 > f->columns ? (int)column + 1 : f->columns;
    }
    if (t->rows == 0 || (double)f->rows * f->columns != t->rows)
        return sac_fail(SAC_ERROR_FORMAT, "%.200s: %d patches, expected a whole grid", t->path, t->rows);
    f->values = SAC_NEW_ARRAY(double, (size_t)t->rows);
    f->numbers = SAC_NEW_ARRAY(int, (size_t)t->rows);
    if (!f->values || !f->numbers) return sac_fail_memory("a plot");
    double sum = 0;
    for (int i = 0; i < t->rows; i++)
    {
        int place = (int)sac_table_number(t, i, at[0]) * f->columns + (int)sac_table_number(t, i, at[1]);
        double rank = sac_table_number(t, i, at[3]), importance = sac_table_number(t, i, at[2]);
        f->values[place] = importance;
        f->numbers[place] = rank >= 0 && rank < NUMBERED ? (int)rank + 1 : 0;
        sum += isfinite(importance) ? importance : 0;
    }
    for (int i = 0; i < t->rows && sum > 0; i++) f->values[i] *= 100 / sum;
    return SAC_OK;
}

sac_status sac_plot_importance(const char *table, const char *title, const char *path)
{
    sac_table t;
    field f = {0};
    sac_status status = sac_table_read(&t, table);
    if (status == SAC_OK) status = read_field(&f, &t);
    const sac_heat_field shown = {
        .y_label = "row of patches", .values = f.values, .rows = f.rows, .columns = f.columns, .numbers = f.numbers};
    if (!title) title = f.contributes ? "What every patch contributes" : "Importance of every patch";
    if (status == SAC_OK)
        status = sac_heat_plot_write(
            &(sac_heat_plot){.title = title,
                             .subtitle = f.contributes ? "one image; the ten that give most are numbered"
                                                       : "one image; the ten most important are numbered",
                             .x_label = "column of patches",
                             .value_label = f.contributes ? "share of what is told, %; coloured by rank"
                                                          : "share of attention, %; coloured by rank",
                             .fields = &shown,
                             .field_count = 1,
                             .x_last = f.columns - 1,
                             .square = true},
            path);
    sac_free(f.values);
    sac_free(f.numbers);
    sac_table_clear(&t);
    return status;
}
