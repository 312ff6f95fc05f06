#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/plot_module.h"

/// Heat plots: values become colours and axes get their marks here, the module puts them on a sheet.

enum
{
    X_MARKS = 8,
    Y_MARKS = 5,
    VALUE_MARKS = 5
};

// as in the heat map: lightness goes with the square root, since attention is mostly concentrated on few patches
static double shade_of(double value, double most)
{
    return value > 0 && most > 0 ? sqrt(value / most) : 0;
}

// an axis of cells: a mark stands at the middle of its cell
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

static void mark_values(sac_plot_axis *axis, double most)
{
    sac_axis round = sac_axis_of(0, most, VALUE_MARKS);
    axis->axis = round;
    axis->axis.count = 0;
    for (int i = 0; i < round.count && round.first + i * round.step <= most * (1 + 1e-9); i++)
    {
        axis->places[i] = shade_of(round.first + i * round.step, most);
        sac_axis_text(&round, i, axis->texts[i], sizeof axis->texts[i]);
        axis->axis.count++;
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

static sac_status paint(sac_heat_picture *picture, const sac_heat_field *field, double most)
{
    size_t cells = (size_t)field->rows * (size_t)field->columns;
    picture->field = field;
    picture->rgb = sac_alloc_array(cells, 3);
    if (!picture->rgb) return sac_fail_memory("a heat plot");
    for (size_t i = 0; i < cells; i++) sac_heat_color((float)shade_of(field->values[i], most), picture->rgb + 3 * i);
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
    sac_status status = SAC_OK;
    for (int f = 0; f < plot->field_count && status == SAC_OK; f++)
        status = paint(&sheet.pictures[f], &plot->fields[f], most);
    mark_cells(&sheet.x, plot->x_first, plot->x_last, plot->fields[0].columns, X_MARKS);
    mark_values(&sheet.values, most);
    for (int i = 0; i < SAC_HEAT_SHADES; i++) sac_heat_color((float)i / (SAC_HEAT_SHADES - 1), sheet.shades[i]);
    if (status == SAC_OK) status = sac_plot_through_module(path, draw_sheet, &sheet);
    for (int f = 0; f < plot->field_count; f++) sac_free(sheet.pictures[f].rgb);
    return status;
}
