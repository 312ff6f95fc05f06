#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/growing.h"
#include "saccade/attention_plots.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/table.h"

/// Attention over time: in which rows and columns the kept patches lie, as a file and as a plot of that file.

enum
{
    MOST_SHOWN = 560 // columns of a plot; if there are more steps, they are averaged
};

struct sac_attention_track
{
    int rows, columns, steps;
    double *shares; // [rows + columns]
    sac_growing text;
};

sac_status sac_attention_track_create(sac_attention_track **out, int rows, int columns)
{
    SAC_ASSERT(rows >= 1 && columns >= 1);
    *out = NULL;
    sac_attention_track *t = SAC_NEW(sac_attention_track);
    if (!t) return sac_fail_memory("attention over time");
    t->rows = rows;
    t->columns = columns;
    t->shares = SAC_NEW_ARRAY(double, (size_t)rows + (size_t)columns);
    sac_grow_text(&t->text, "step,kept");
    for (int i = 0; i < rows; i++) sac_grow_text(&t->text, ",row%d", i);
    for (int i = 0; i < columns; i++) sac_grow_text(&t->text, ",column%d", i);
    sac_grow_text(&t->text, "\n");
    if (t->shares && !t->text.failed)
    {
        *out = t;
        return SAC_OK;
    }
    sac_attention_track_destroy(t);
    return sac_fail_memory("attention over time");
}

void sac_attention_track_destroy(sac_attention_track *track)
{
    if (!track) return;
    sac_grow_clear(&track->text);
    sac_free(track->shares);
    sac_free(track);
}

static void share(sac_attention_track *t, float part, int patch)
{
    t->shares[patch / t->columns] += (double)part;
    t->shares[t->rows + patch % t->columns] += (double)part;
}

// Add the patches that are kept, or all patches where the policy keeps none.
sac_status sac_attention_track_add(sac_attention_track *t, const sac_gaze *gaze)
{
    SAC_ASSERT(gaze->rows == t->rows && gaze->columns == t->columns);
    int patches = t->rows * t->columns, count = gaze->kept > 0 ? gaze->kept : patches;
    const float *shown = sac_gaze_shown(gaze);
    double all = 0, kept = 0;
    for (int i = 0; i < t->rows + t->columns; i++) t->shares[i] = 0;
    for (int i = 0; i < patches; i++) all += (double)shown[i];
    for (int i = 0; i < count; i++)
    {
        int patch = gaze->kept > 0 ? gaze->top[i] : i;
        share(t, shown[patch], patch);
    }
    for (int i = 0; i < t->rows; i++) kept += t->shares[i];
    double scale = kept > 0 && isfinite(kept) ? 1 / kept : 0;
    sac_grow_text(&t->text, "%d,%.6g", t->steps++, all > 0 && isfinite(all) ? kept / all : 0);
    for (int i = 0; i < t->rows + t->columns; i++) sac_grow_text(&t->text, ",%.6g", t->shares[i] * scale);
    sac_grow_text(&t->text, "\n");
    return t->text.failed ? sac_fail_memory("attention over time") : SAC_OK;
}

sac_status sac_attention_track_write(const sac_attention_track *track, const char *path)
{
    return sac_write_file(path, track->text.bytes, track->text.size);
}

// --- the plot ---------------------------------------------------------------------------------------------------

typedef struct fields
{
    double *values; // [rows + columns, shown], per cent
    int rows, columns, shown, steps;
    double kept; // share of the kept patches, averaged
} fields;

static int count_columns(const sac_table *t, const char *word)
{
    char name[32];
    for (int i = 0;; i++)
    {
        snprintf(name, sizeof name, "%s%d", word, i);
        if (sac_table_find(t, name) < 0) return i;
    }
}

static sac_status read_fields(fields *f, const sac_table *t)
{
    f->rows = count_columns(t, "row");
    f->columns = count_columns(t, "column");
    f->steps = t->rows;
    if (f->rows == 0 || f->columns == 0 || t->columns != 2 + f->rows + f->columns)
        return sac_fail(SAC_ERROR_FORMAT, "%.200s: expected columns step, kept, row0, ..., column0, ...", t->path);
    if (f->steps == 0) return sac_fail(SAC_ERROR_FORMAT, "%.200s: no step", t->path);
    int group = (f->steps + MOST_SHOWN - 1) / MOST_SHOWN, all = f->rows + f->columns;
    f->shown = (f->steps + group - 1) / group;
    f->values = SAC_NEW_MATRIX(double, (size_t)all, (size_t)f->shown);
    if (!f->values) return sac_fail_memory("a plot");
    for (int step = 0; step < f->steps; step++)
    {
        int at = step / group, first = at * group, last = first + group < f->steps ? first + group : f->steps;
        f->kept += sac_table_number(t, step, 1) / f->steps;
        for (int i = 0; i < all; i++)
        {
            double share = sac_table_number(t, step, 2 + i);
            if (!isfinite(share))
                return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d: column %d is no number", t->path, step + 2, 3 + i);
            f->values[i * f->shown + at] += 100 * share / (last - first);
        }
    }
    return SAC_OK;
}

static sac_status draw(const fields *f, const char *title, const char *path)
{
    char subtitle[160];
    const sac_heat_field shown[] = {{.name = "from the left edge (top) to the right edge (bottom)",
                                     .y_label = "column",
                                     .values = f->values + f->rows * f->shown,
                                     .rows = f->columns,
                                     .columns = f->shown},
                                    {.name = "from the upper edge (top) to the lower edge (bottom)",
                                     .y_label = "row",
                                     .values = f->values,
                                     .rows = f->rows,
                                     .columns = f->shown}};
    if (f->kept > 1 - 1e-6)
        snprintf(subtitle, sizeof subtitle, "where the attention goes of an agent that mixes all %d x %d patches",
                 f->rows, f->columns);
    else
        snprintf(subtitle, sizeof subtitle,
                 "where the patches lie that it keeps, of %d x %d, weighted by attention; they get %.1f %% of all",
                 f->rows, f->columns, 100 * f->kept);
    return sac_heat_plot_write(&(sac_heat_plot){.title = title ? title : "Attention over an episode",
                                                .subtitle = subtitle,
                                                .x_label = "step",
                                                .value_label = "share of their attention, %; coloured by rank",
                                                .fields = shown,
                                                .field_count = 2,
                                                .x_last = f->steps - 1},
                               path);
}

sac_status sac_plot_attention(const char *table, const char *title, const char *path)
{
    sac_table t;
    fields f = {0};
    sac_status status = sac_table_read(&t, table);
    if (status == SAC_OK) status = read_fields(&f, &t);
    if (status == SAC_OK) status = draw(&f, title, path);
    sac_free(f.values);
    sac_table_clear(&t);
    return status;
}
