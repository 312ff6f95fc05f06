#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/table.h"

/// Time or memory of forms of attention against the number of tokens, both logarithmic, from a table of saccade bench
/// attention: saccade as lines, the fastest peer as dots of the same colour.

enum
{
    FORMS = 6, // as many as there are colours
    POINTS = 64
};

// These are drawn where the table has them, the most costly first.
static const char *const preferred[] = {"softmax", "hybrid", "trig", "positive", "sara-relu", "relu"};

typedef struct curve
{
    char form[32];
    double own[POINTS], own_y[POINTS], peer[POINTS], peer_y[POINTS];
    int own_count, peer_count;
} curve;

enum
{
    BY,
    FORM,
    TOKENS,
    VALUE,
    COLUMNS
};

// Add a point, or keep the better one of two with the same number of tokens.
static int add(double *x, double *y, int count, double tokens, double value)
{
    if (!(tokens > 0 && value > 0 && isfinite(value))) return count;
    for (int i = 0; i < count; i++)
        if (x[i] == tokens)
        {
            y[i] = fmin(y[i], value);
            return count;
        }
    if (count == POINTS) return count;
    int at = count;
    for (; at > 0 && x[at - 1] > tokens; at--) x[at] = x[at - 1], y[at] = y[at - 1];
    x[at] = tokens;
    y[at] = value;
    return count + 1;
}

static bool has_form(const sac_table *t, const int at[COLUMNS], const char *form)
{
    for (int i = 0; i < t->rows; i++)
        if (strcmp(sac_table_cell(t, i, at[FORM]), form) == 0) return true;
    return false;
}

// Take the preferred forms, or the first forms of the table where it has none of them.
static int choose_forms(curve curves[FORMS], const sac_table *t, const int at[COLUMNS])
{
    int count = 0;
    for (int i = 0; i < FORMS; i++)
        if (has_form(t, at, preferred[i])) snprintf(curves[count++].form, sizeof curves->form, "%s", preferred[i]);
    for (int i = 0; i < t->rows && count == 0; i++)
        snprintf(curves[count++].form, sizeof curves->form, "%s", sac_table_cell(t, i, at[FORM]));
    return count;
}

static void fill(curve *c, const sac_table *t, const int at[COLUMNS], double unit)
{
    for (int i = 0; i < t->rows; i++)
    {
        if (strcmp(sac_table_cell(t, i, at[FORM]), c->form) != 0) continue;
        double tokens = sac_table_number(t, i, at[TOKENS]), value = sac_table_number(t, i, at[VALUE]) / unit;
        if (strcmp(sac_table_cell(t, i, at[BY]), "saccade") == 0)
            c->own_count = add(c->own, c->own_y, c->own_count, tokens, value);
        else
            c->peer_count = add(c->peer, c->peer_y, c->peer_count, tokens, value);
    }
}

static sac_status draw(const curve *curves, int count, bool memory, const char *title, const char *path)
{
    sac_plot_line lines[2 * FORMS];
    int line_count = 0;
    sac_plot_line *dots = NULL; // the last of them names all
    for (int i = 0; i < count; i++)
    {
        const curve *c = &curves[i];
        if (c->own_count)
            lines[line_count++] =
                (sac_plot_line){.name = c->form, .x = c->own, .y = c->own_y, .count = c->own_count, .color = i};
        if (!c->peer_count) continue;
        dots = &lines[line_count++];
        *dots = (sac_plot_line){.x = c->peer, .y = c->peer_y, .count = c->peer_count, .color = i, .dots = true};
    }
    if (dots) dots->name = "dots: the faster of PyTorch and JAX";
    const char *subtitle = memory ? "beside inputs and results; importance, d = 16"
                                  : "the best call; importance, d = 16, tokens given, one core";
    return sac_plot_write(&(sac_plot){.title = title    ? title
                                               : memory ? "Memory of attention"
                                                        : "Time of attention",
                                      .subtitle = subtitle,
                                      .x_label = "tokens",
                                      .y_label = memory ? "KiB" : "microseconds",
                                      .lines = lines,
                                      .line_count = line_count,
                                      .mark_x = NAN,
                                      .log_x = true,
                                      .log_y = true},
                          path);
}

sac_status sac_plot_kernels(const char *table, bool memory, const char *title, const char *path)
{
    sac_table t;
    const char *const names[COLUMNS] = {"by", "form", "tokens", memory ? "memory_bytes" : "best_us"};
    int at[COLUMNS];
    curve *curves = SAC_NEW_ARRAY(curve, FORMS);
    if (!curves) return sac_fail_memory("a plot");
    sac_status status = sac_table_read(&t, table);
    if (status == SAC_OK) status = sac_table_columns(&t, names, at, COLUMNS, "a table of bench attention");
    if (status == SAC_OK)
    {
        int count = choose_forms(curves, &t, at);
        for (int i = 0; i < count; i++) fill(&curves[i], &t, at, memory ? 1024 : 1);
        status = draw(curves, count, memory, title, path);
    }
    sac_free(curves);
    sac_table_clear(&t);
    return status;
}
