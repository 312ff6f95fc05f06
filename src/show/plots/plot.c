#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "files/atomic.h"
#include "files/module.h"
#include "show/plots/plot_module.h"

enum
{
    X_MARKS = 7,
    Y_MARKS = 6
};

sac_axis sac_axis_of(double low, double high, int wanted)
{
    if (!(high > low))
    {
        double pad = fmax(fabs(low) * 0.1, 1e-3);
        low -= pad;
        high += pad;
    }
    double rough = (high - low) / wanted, power = pow(10, floor(log10(rough))), part = rough / power;
    double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    // A small tolerance makes a value that is a multiple up to rounding count as one.
    double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
    return (sac_axis){first * step, last * step, step, (int)(last - first) + 1};
}

void sac_axis_text(const sac_axis *axis, int index, char *text, size_t size)
{
    double most = fmax(fabs(axis->first), fabs(axis->last));
    double unit = most >= 2e6 ? 1e6 : most >= 1e4 ? 1e3 : 1;
    double value = axis->first + index * axis->step;
    if (fabs(value) < 1e-9 * axis->step) value = 0;
    const char *suffix = value == 0 || unit == 1 ? "" : unit == 1e6 ? "M" : "k";
    // U+2212, the minus sign of typography
    snprintf(text, size, "%s%.6g%s", value < 0 ? "\xe2\x88\x92" : "", fabs(value) / unit, suffix);
}

sac_axis sac_log_axis_of(double low, double high, int wanted)
{
    // Over short ranges the axis uses powers of two, which give more marks.
    double unit = log10(high) - log10(low) < 3.25 ? log10(2) : 1;
    double first = floor(log10(low) / unit + 1e-9), last = ceil(log10(high) / unit - 1e-9);
    if (!(last > first)) last = first + 1;
    double step = ceil((last - first) / (unit < 1 ? wanted + 2 : wanted) - 1e-9);
    int count = (int)ceil((last - first) / step - 1e-9) + 1;
    return (sac_axis){first * unit, (first + (count - 1) * step) * unit, step * unit, count};
}

void sac_log_axis_text(const sac_axis *axis, int index, char *text, size_t size)
{
    static const char *const raised[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    double exponent = axis->first + index * axis->step;
    int power = (int)lround(exponent), digits = abs(power);
    if (exponent > -3.5 && exponent < 4.5)
    {
        snprintf(text, size, "%.6g", pow(10, exponent));
        return;
    }
    if (fabs(exponent - power) > 1e-6)
    {
        snprintf(text, size, exponent > 0 && exponent < 6 ? "%.6g" : "%.3g", pow(10, exponent));
        return;
    }
    int length = snprintf(text, size, "10%s", power < 0 ? "\xe2\x81\xbb" : "");
    for (int unit = digits >= 100 ? 100 : digits >= 10 ? 10 : 1; unit > 0 && (size_t)length < size; unit /= 10)
        length += snprintf(text + length, size - (size_t)length, "%s", raised[digits / unit % 10]);
}

// Tell whether a point can be drawn: it must be finite, and positive along a logarithmic axis.
static bool is_point(const sac_plot *plot, double x, double y)
{
    return isfinite(x) && isfinite(y) && (x > 0 || !plot->log_x) && (y > 0 || !plot->log_y);
}

static void widen(double range[2], double value)
{
    if (!isfinite(value)) return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

// Compute what the axes must hold. A band is held only up to half of the lines' own height, so that it does not flatten
// the lines.
static bool find_ranges(const sac_plot *plot, double x[2], double y[2])
{
    double band[2] = {INFINITY, -INFINITY};
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = -INFINITY;
    for (int i = 0; i < plot->line_count; i++)
        for (int p = 0; p < plot->lines[i].count; p++)
        {
            const sac_plot_line *line = &plot->lines[i];
            if (!is_point(plot, line->x[p], line->y[p])) continue;
            double half = line->bars && !plot->x_names ? 0.5 : 0;
            widen(x, line->x[p] - half);
            widen(x, line->x[p] + half);
            widen(y, line->y[p]);
            if (line->bars) widen(y, 0);
            if (!sac_plot_has_band(line) || plot->log_y) continue;
            double *held = line->bars ? y : band; // a whisker is always held as a whole
            widen(held, sac_plot_edge(line, p, -1));
            widen(held, sac_plot_edge(line, p, 1));
        }
    if (!(x[0] <= x[1])) return false;
    double room = 0.25 * (y[1] - y[0]);
    if (band[0] < y[0]) y[0] = fmax(band[0], y[0] - room);
    if (band[1] > y[1]) y[1] = fmin(band[1], y[1] + room);
    if (plot->from_zero && !plot->log_x) widen(x, 0);
    if (plot->from_zero && !plot->log_y) widen(y, 0);
    return true;
}

void sac_plot_mark(sac_plot_axis *axis, double low, double high, int wanted, bool logarithmic)
{
    axis->axis = (logarithmic ? sac_log_axis_of : sac_axis_of)(low, high, wanted);
    if (axis->axis.count > SAC_PLOT_MAX_MARKS) axis->axis.count = SAC_PLOT_MAX_MARKS;
    for (int i = 0; i < axis->axis.count; i++)
    {
        (logarithmic ? sac_log_axis_text : sac_axis_text)(&axis->axis, i, axis->texts[i], sizeof axis->texts[i]);
        axis->places[i] = i * axis->axis.step / (axis->axis.last - axis->axis.first);
    }
}

static void mark_names(sac_plot_axis *axis, const sac_plot *plot)
{
    int count = plot->x_name_count;
    axis->axis = (sac_axis){-0.5, count - 0.5, 1, count};
    for (int i = 0; i < count; i++)
    {
        axis->places[i] = (i + 0.5) / count;
        snprintf(axis->texts[i], sizeof axis->texts[i], "%s", plot->x_names[i]);
    }
}

sac_status sac_plot_through_module(const char *path,
                                   int (*draw)(const sac_plot_calls *calls, const void *what, const char *path, int svg,
                                               char *error),
                                   const void *what)
{
    bool svg = sac_ends_in(path, ".svg");
    if (!svg && !sac_ends_in(path, ".png"))
        return sac_fail(SAC_ERROR_ARGUMENT, "plot '%.200s': expected a name that ends in .svg or .png", path);
    const void *table;
    SAC_TRY(sac_module_open(&table, "plot"));
    char aside[SAC_PATH_SIZE], error[SAC_PLOT_ERROR_SIZE] = "";
    SAC_TRY(sac_check_target(path)); // cairo does not say why a file cannot be written
    int length = snprintf(aside, sizeof aside, "%s.tmp", path);
    if (length < 0 || (size_t)length >= sizeof aside) return sac_fail(SAC_ERROR_ARGUMENT, "plot: the path is too long");
    if (draw(table, what, aside, svg, error) != 0)
    {
        remove(aside);
        return sac_fail(SAC_ERROR_FILE, "plot %.200s: %s", path, error);
    }
    if (rename(aside, path) == 0) return SAC_OK;
    sac_status status = sac_fail_file(path, "cannot be put in its place");
    remove(aside);
    return status;
}

/// A plot with its axes, as the module gets it.
typedef struct sheet
{
    const sac_plot *plot;
    sac_plot_axis x, y;
} sheet;

static int draw_sheet(const sac_plot_calls *calls, const void *what, const char *path, int svg, char *error)
{
    const sheet *s = what;
    return calls->draw(s->plot, &s->x, &s->y, path, svg, error);
}

sac_status sac_plot_write(const sac_plot *plot, const char *path)
{
    double x_range[2], y_range[2];
    if (!find_ranges(plot, x_range, y_range))
        return sac_fail(SAC_ERROR_ARGUMENT, "plot '%.200s': there is no point to draw", path);
    SAC_ASSERT(!plot->x_names || (plot->x_name_count >= 1 && plot->x_name_count <= SAC_PLOT_MAX_MARKS));
    sheet s = {.plot = plot};
    if (plot->x_names)
        mark_names(&s.x, plot);
    else
        sac_plot_mark(&s.x, x_range[0], x_range[1], X_MARKS, plot->log_x);
    sac_plot_mark(&s.y, y_range[0], y_range[1], Y_MARKS, plot->log_y);
    return sac_plot_through_module(path, draw_sheet, &s);
}
