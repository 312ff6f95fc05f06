#include <math.h>

#include "plot_drawing.h"

/// saccade-plot.so draws a plot through cairo, with a light background, horizontal guides, and a legend in the order of
/// the lines.

enum
{
    LEFT = SAC_PLOT_LEFT,
    RIGHT = SAC_PLOT_RIGHT,
    BOTTOM = SAC_PLOT_BOTTOM,
    LEGEND = 22,
    SLANT = 30 // further room below for names that are written at a slant
};

typedef struct drawing
{
    cairo_t *cairo;
    const sac_plot *plot;
    const sac_plot_axis *x, *y;
    double left, top, right, bottom; // of the field
} drawing;

static int ink_of(const sac_plot_line *line)
{
    return SAC_INK_LINES + (int)((unsigned)line->color % SAC_PLOT_LINE_COLORS);
}

// The axis of a logarithmic plot counts powers of ten.
static double at_x(const drawing *d, double x)
{
    const sac_axis *a = &d->x->axis;
    if (d->plot->log_x) x = log10(x);
    return d->left + (x - a->first) / (a->last - a->first) * (d->right - d->left);
}

static double at_y(const drawing *d, double y)
{
    const sac_axis *a = &d->y->axis;
    if (d->plot->log_y) y = log10(y);
    return d->bottom - (y - a->first) / (a->last - a->first) * (d->bottom - d->top);
}

static void draw_legend(drawing *d, double y)
{
    cairo_t *c = d->cairo;
    double x = LEFT;
    bool any = false;
    for (int i = 0; i < d->plot->line_count; i++)
    {
        const sac_plot_line *line = &d->plot->lines[i];
        if (!line->name) continue;
        if (any && x + 24 + sac_draw_text_width(c, 12, line->name) > SAC_PLOT_WIDTH - RIGHT) x = LEFT, y += LEGEND - 4;
        any = true;
        sac_draw_ink(c, ink_of(line), line->faint ? 0.45 : 1);
        if (line->dots)
            cairo_arc(c, x + 9, y - 4, 3.6, 0, 6.283185307179586);
        else
            cairo_rectangle(c, x, y - (line->bars ? 8 : 6), 18, line->bars ? 8 : line->faint ? 1.5 : 3);
        cairo_fill(c);
        sac_draw_ink(c, SAC_INK_TEXT, 1);
        x += 24;
        x += sac_draw_text(c, x, y, 12, 0, line->name) + 20;
    }
    d->top = y + (any ? 12 : -6);
}

// Names that do not fit side by side are written at a slant.
static bool is_slanted(const drawing *d)
{
    bool slanted = false;
    for (int i = 0; d->plot->x_names && i < d->x->axis.count; i++)
        slanted =
            slanted || sac_draw_text_width(d->cairo, 12, d->x->texts[i]) > (d->right - d->left) / d->x->axis.count - 8;
    return slanted;
}

static void draw_x_mark(const drawing *d, int index, bool slanted)
{
    cairo_t *c = d->cairo;
    double x = floor(d->left + d->x->places[index] * (d->right - d->left)) + 0.5;
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    cairo_move_to(c, x, d->bottom);
    cairo_line_to(c, x, d->bottom + 5);
    cairo_stroke(c);
    if (d->plot->x_names) sac_draw_ink(c, SAC_INK_TEXT, 1);
    cairo_save(c);
    cairo_translate(c, x, d->bottom + (slanted ? 14 : 19));
    if (slanted) cairo_rotate(c, -0.5);
    sac_draw_text(c, slanted ? 4 : 0, slanted ? 4 : 0, 12, slanted ? 1 : 0.5, d->x->texts[index]);
    cairo_restore(c);
}

static void draw_axes(const drawing *d)
{
    cairo_t *c = d->cairo;
    bool slanted = is_slanted(d);
    cairo_set_line_width(c, 1);
    for (int i = 0; i < d->y->axis.count; i++)
    {
        double y = floor(d->bottom - d->y->places[i] * (d->bottom - d->top)) + 0.5;
        sac_draw_ink(c, SAC_INK_GUIDE, 1);
        cairo_move_to(c, d->left, y);
        cairo_line_to(c, d->right, y);
        cairo_stroke(c);
        sac_draw_ink(c, SAC_INK_QUIET, 1);
        sac_draw_text(c, d->left - 8, y + 4, 12, 1, d->y->texts[i]);
    }
    for (int i = 0; i < d->x->axis.count; i++) draw_x_mark(d, i, slanted);
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    double floor_y = d->plot->x_names && d->y->axis.first < 0 && d->y->axis.last > 0 ? at_y(d, 0) : d->bottom;
    cairo_move_to(c, d->left, floor(floor_y) + 0.5);
    cairo_line_to(c, d->right, floor(floor_y) + 0.5);
    cairo_stroke(c);
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (d->plot->x_label && !slanted)
        sac_draw_text(c, (d->left + d->right) / 2, d->bottom + 40, 13, 0.5, d->plot->x_label);
    if (d->plot->y_label) sac_draw_text_up(c, 17, (d->top + d->bottom) / 2, 13, d->plot->y_label);
}

static bool drawn(const drawing *d, const sac_plot_line *line, int point)
{
    return isfinite(at_x(d, line->x[point])) && isfinite(at_y(d, line->y[point]));
}

static void draw_band(const drawing *d, const sac_plot_line *line)
{
    cairo_t *c = d->cairo;
    cairo_new_path(c);
    for (int i = 0; i < line->count; i++)
        if (drawn(d, line, i) && isfinite(sac_plot_edge(line, i, 1)))
            cairo_line_to(c, at_x(d, line->x[i]), at_y(d, sac_plot_edge(line, i, 1)));
    for (int i = line->count - 1; i >= 0; i--)
        if (drawn(d, line, i) && isfinite(sac_plot_edge(line, i, -1)))
            cairo_line_to(c, at_x(d, line->x[i]), at_y(d, sac_plot_edge(line, i, -1)));
    cairo_close_path(c);
    sac_draw_ink(c, ink_of(line), 0.16);
    cairo_fill(c);
}

// Draw a thin line from one edge of the band to the other, with ends.
static void draw_whisker(const drawing *d, const sac_plot_line *line, int point, double x)
{
    cairo_t *c = d->cairo;
    double low = at_y(d, sac_plot_edge(line, point, -1)), high = at_y(d, sac_plot_edge(line, point, 1));
    if (!isfinite(low) || !isfinite(high)) return;
    const double ends[] = {low, high};
    sac_draw_ink(c, SAC_INK_TEXT, 0.75);
    cairo_set_line_width(c, 1.2);
    cairo_move_to(c, x, low);
    cairo_line_to(c, x, high);
    for (int i = 0; i < 2; i++)
    {
        cairo_move_to(c, x - 3, ends[i]);
        cairo_line_to(c, x + 3, ends[i]);
    }
    cairo_stroke(c);
}

static void draw_bars(const drawing *d, const sac_plot_line *line)
{
    double zero = at_y(d, 0), half = (line->width > 0 ? line->width : 0.84) / 2;
    for (int i = 0; i < line->count; i++)
    {
        if (!drawn(d, line, i)) continue;
        double middle = line->x[i] + line->offset, x0 = at_x(d, middle - half), x1 = at_x(d, middle + half);
        double y = at_y(d, line->y[i]);
        sac_draw_ink(d->cairo, ink_of(line), line->faint ? 0.4 : 0.75);
        cairo_rectangle(d->cairo, x0, y, x1 - x0, zero - y);
        cairo_fill(d->cairo);
        if (sac_plot_has_band(line)) draw_whisker(d, line, i, (x0 + x1) / 2);
    }
}

static void draw_line(const drawing *d, const sac_plot_line *line)
{
    cairo_t *c = d->cairo;
    int points = 0;
    cairo_new_path(c);
    for (int i = 0; i < line->count; i++)
        if (drawn(d, line, i))
        {
            cairo_line_to(c, at_x(d, line->x[i]), at_y(d, line->y[i]));
            points++;
        }
    sac_draw_ink(c, ink_of(line), line->faint ? 0.45 : 1);
    cairo_set_line_width(c, line->faint ? 1.2 : 2.2);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(c, CAIRO_LINE_CAP_ROUND);
    if (!line->dots) cairo_stroke(c);
    cairo_new_path(c);
    for (int i = 0; i < line->count && (line->dots || (points < 40 && !line->faint)); i++)
        if (drawn(d, line, i))
        {
            cairo_arc(c, at_x(d, line->x[i]), at_y(d, line->y[i]), line->dots ? 3.6 : 2.6, 0, 6.283185307179586);
            cairo_fill(c);
        }
}

static void draw_mark(const drawing *d)
{
    if (!isfinite(d->plot->mark_x)) return;
    cairo_t *c = d->cairo;
    const double dashes[] = {4, 4};
    double x = at_x(d, d->plot->mark_x);
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    cairo_set_line_width(c, 1.2);
    cairo_set_dash(c, dashes, 2, 0);
    cairo_move_to(c, x, d->top);
    cairo_line_to(c, x, d->bottom);
    cairo_stroke(c);
    cairo_set_dash(c, NULL, 0, 0);
    if (d->plot->mark_name) sac_draw_text(c, x + 6, d->top + 12, 12, 0, d->plot->mark_name);
}

static void draw_all(cairo_t *c, const void *what)
{
    drawing sheet = *(const drawing *)what, *d = &sheet;
    d->cairo = c;
    draw_legend(d, sac_draw_heading(c, d->plot->title, d->plot->subtitle));
    if (is_slanted(d)) d->bottom -= SLANT;
    draw_axes(d);
    cairo_save(c);
    cairo_rectangle(c, d->left - 5, d->top - 5, d->right - d->left + 10, d->bottom - d->top + 6);
    cairo_clip(c);
    for (int i = 0; i < d->plot->line_count; i++)
        if (sac_plot_has_band(&d->plot->lines[i]) && !d->plot->lines[i].bars && !d->plot->log_y)
            draw_band(d, &d->plot->lines[i]);
    for (int i = 0; i < d->plot->line_count; i++)
        if (d->plot->lines[i].bars)
            draw_bars(d, &d->plot->lines[i]);
        else
            draw_line(d, &d->plot->lines[i]);
    cairo_restore(c);
    draw_mark(d);
}

static int plot_draw(const sac_plot *plot, const sac_plot_axis *x, const sac_plot_axis *y, const char *path, int svg,
                     char *error)
{
    const drawing d = {NULL, plot, x, y, LEFT, 0, SAC_PLOT_WIDTH - RIGHT, SAC_PLOT_HEIGHT - BOTTOM};
    return sac_draw_file(path, svg, SAC_PLOT_WIDTH, SAC_PLOT_HEIGHT, draw_all, &d, error);
}

__attribute__((visibility("default"))) extern const sac_plot_calls sac_plot_module;

const sac_plot_calls sac_plot_module = {.draw = plot_draw,
                                        .draw_heat = sac_draw_heat,
                                        .draw_ellipses = sac_draw_ellipses,
                                        .paint_ellipses = sac_paint_ellipses};
