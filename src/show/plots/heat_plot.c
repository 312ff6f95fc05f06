#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/overlay.h"
#include "show/plots/plot_module.h"

/// Here values become colours and axes get their marks; the module then draws them on a sheet.

enum
{
    X_MARKS = 8,
    Y_MARKS = 5,
    VALUE_MARKS = 5
};

/// The values of all fields, one after the other, with their ranks and in their order.
typedef struct ranks
{
    float *values, *levels, *sorted; // [count]
    int count;
} ranks;

static sac_status rank_values(ranks *r, const sac_heat_plot *plot)
{
    for (int f = 0; f < plot->field_count; f++) r->count += plot->fields[f].rows * plot->fields[f].columns;
    r->values = SAC_NEW_ARRAY(float, 3 * (size_t)r->count);
    if (!r->values) return sac_fail_memory("a heat plot");
    r->levels = r->values + r->count;
    r->sorted = r->levels + r->count;
    int at = 0;
    for (int f = 0; f < plot->field_count; f++)
        for (int i = 0; i < plot->fields[f].rows * plot->fields[f].columns; i++)
            r->values[at++] = (float)plot->fields[f].values[i];
    (void)sac_heat_levels(r->levels, r->sorted, r->values, r->count);
    return SAC_OK;
}

// An axis of cells has its marks at the middles of cells.
static void mark_cells(sac_plot_axis *axis, double first, double last, int cells, int wanted)
{
    sac_axis round = sac_axis_of(first, last > first ? last : first + 1, wanted < cells ? wanted : cells);
    double cell = cells > 1 ? (last - first) / (cells - 1) : 1, low = first - cell / 2, high = last + cell / 2;
    axis->axis = round;
    axis->axis.count = 0;
    for (int i = 0; i < round.count && axis->axis.count < SAC_PLOT_MAX_MARKS; i++)
    {
        double value = round.first + i * round.step, place = (value - low) / (high - low);
        if (value < first - 1e-9 * cell || value > last + 1e-9 * cell) continue;
        axis->places[axis->axis.count] = place;
        sac_axis_text(&round, i, axis->texts[axis->axis.count], sizeof axis->texts[0]);
        axis->axis.count++;
    }
}

// The bar of colours is even in ranks. Its marks are the least value, the quartiles and the largest value.
static void mark_values(sac_plot_axis *axis, const ranks *r)
{
    int low = 0, high = 0; // the last of the least, and the first of the largest
    while (low + 1 < r->count && r->sorted[low + 1] == r->sorted[0]) low++;
    while (r->sorted[high] < r->sorted[r->count - 1]) high++;
    if (high < low) high = low;
    axis->axis = (sac_axis){0, 1, 1.0 / (VALUE_MARKS - 1), 0};
    for (int i = 0; i < VALUE_MARKS; i++)
    {
        int mark = axis->axis.count;
        snprintf(axis->texts[mark], sizeof axis->texts[mark], "%.3g",
                 fmax((double)r->sorted[low + (high - low) * i / (VALUE_MARKS - 1)], 0));
        axis->places[mark] = (double)i / (VALUE_MARKS - 1);
        // Equal values have the place of the first of them.
        if (mark == 0 || strcmp(axis->texts[mark], axis->texts[mark - 1]) != 0) axis->axis.count++;
    }
}

static double largest(const sac_heat_plot *plot)
{
    double most = 0;
    for (int f = 0; f < plot->field_count; f++)
        for (int i = 0; i < plot->fields[f].rows * plot->fields[f].columns; i++)
            if (isfinite(plot->fields[f].values[i])) most = fmax(most, plot->fields[f].values[i]);
    return most;
}

static sac_status paint(sac_heat_picture *picture, const sac_heat_field *field, const float *levels)
{
    size_t cells = (size_t)field->rows * (size_t)field->columns;
    picture->field = field;
    picture->rgb = sac_alloc_array(cells, 3);
    if (!picture->rgb) return sac_fail_memory("a heat plot");
    for (size_t i = 0; i < cells; i++) sac_heat_color(levels[i], picture->rgb + 3 * i);
    mark_cells(&picture->y, 0, field->rows - 1, field->rows, Y_MARKS);
    return SAC_OK;
}

static int draw_sheet(const sac_plot_calls *calls, const void *what, const char *path, int svg, char *error)
{
    return calls->draw_heat(what, path, svg, error);
}

sac_status sac_heat_plot_write(const sac_heat_plot *plot, const char *path)
{
    SAC_ASSERT(plot->field_count >= 1 && plot->field_count <= SAC_HEAT_FIELDS);
    double most = largest(plot);
    if (!(most > 0)) return sac_fail(SAC_ERROR_ARGUMENT, "plot '%.200s': there is no value above 0 to draw", path);
    sac_heat_sheet sheet = {.plot = plot};
    ranks r = {0};
    sac_status status = rank_values(&r, plot);
    const float *levels = r.levels;
    for (int f = 0; f < plot->field_count && status == SAC_OK; f++)
    {
        status = paint(&sheet.pictures[f], &plot->fields[f], levels);
        levels += plot->fields[f].rows * plot->fields[f].columns;
    }
    mark_cells(&sheet.x, plot->x_first, plot->x_last, plot->fields[0].columns, X_MARKS);
    if (status == SAC_OK) mark_values(&sheet.values, &r);
    for (int i = 0; i < SAC_HEAT_SHADES; i++) sac_heat_color((float)i / (SAC_HEAT_SHADES - 1), sheet.shades[i]);
    if (status == SAC_OK) status = sac_plot_through_module(path, draw_sheet, &sheet);
    for (int f = 0; f < plot->field_count; f++) sac_free(sheet.pictures[f].rgb);
    sac_free(r.values);
    return status;
}
