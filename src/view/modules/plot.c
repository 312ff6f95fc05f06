#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cairo-svg.h>
#include <cairo.h>

#include "view/plot_module.h"

/// saccade-plot.so: a plot through cairo. Light ground, horizontal guides, a legend in the order of the lines.

typedef struct rgb
{
    double red, green, blue;
} rgb;

// told apart by lightness too, for print and for eyes that mix red and green
static const rgb palette[] = {{0.10, 0.37, 0.71}, {0.90, 0.45, 0.10}, {0.12, 0.56, 0.42},
                              {0.75, 0.20, 0.35}, {0.45, 0.35, 0.70}, {0.35, 0.38, 0.42}};
static const rgb text_color = {0.16, 0.18, 0.22}, quiet = {0.42, 0.45, 0.50}, guide = {0.89, 0.90, 0.92};

enum
{
    LEFT = 64,
    RIGHT = 24,
    BOTTOM = 52,
    TOP = 24,
    TITLE = 26,
    SUBTITLE = 18,
    LEGEND = 22
};

typedef struct drawing
{
    cairo_t *cairo;
    const sac_plot *plot;
    const sac_plot_axis *x, *y;
    double left, top, right, bottom; // of the field
} drawing;

static void set_color(cairo_t *c, rgb color, double opacity)
{
    cairo_set_source_rgba(c, color.red, color.green, color.blue, opacity);
}

static rgb color_of(const sac_plot_line *line)
{
    return palette[(unsigned)line->color % 6];
}

// the axis of a logarithmic plot counts powers of ten
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

// anchor: 0 left, 0.5 middle, 1 right; returns the width
static double write_text(cairo_t *c, double x, double y, double size, double anchor, const char *text)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(c, size);
    cairo_text_extents(c, text, &extents);
    cairo_move_to(c, x - anchor * extents.x_advance, y);
    cairo_show_text(c, text);
    return extents.x_advance;
}

static void draw_heading(drawing *d)
{
    cairo_t *c = d->cairo;
    double y = TOP + 6;
    if (d->plot->title)
    {
        cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
        set_color(c, text_color, 1);
        write_text(c, LEFT, y, 16, 0, d->plot->title);
        cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        y += SUBTITLE;
    }
    if (d->plot->subtitle)
    {
        set_color(c, quiet, 1);
        write_text(c, LEFT, y, 12, 0, d->plot->subtitle);
        y += SUBTITLE;
    }
    double x = LEFT;
    bool any = false;
    cairo_set_font_size(c, 12);
    for (int i = 0; i < d->plot->line_count; i++)
    {
        const sac_plot_line *line = &d->plot->lines[i];
        cairo_text_extents_t extents;
        if (!line->name) continue;
        cairo_text_extents(c, line->name, &extents);
        if (any && x + 24 + extents.x_advance > SAC_PLOT_WIDTH - RIGHT) x = LEFT, y += LEGEND - 4;
        any = true;
        set_color(c, color_of(line), line->faint ? 0.45 : 1);
        if (line->dots)
            cairo_arc(c, x + 9, y - 4, 3.6, 0, 6.283185307179586);
        else
            cairo_rectangle(c, x, y - 6, 18, line->bars ? 6 : line->faint ? 1.5 : 3);
        cairo_fill(c);
        set_color(c, text_color, 1);
        x += 24;
        x += write_text(c, x, y, 12, 0, line->name) + 20;
    }
    d->top = y + (any ? 12 : -6);
}

// where a mark stands, as a share of its axis
static double mark_at(const sac_axis *axis, int index)
{
    return index * axis->step / (axis->last - axis->first);
}

static void draw_axes(const drawing *d)
{
    cairo_t *c = d->cairo;
    cairo_set_line_width(c, 1);
    for (int i = 0; i < d->y->axis.count; i++)
    {
        double y = floor(d->bottom - mark_at(&d->y->axis, i) * (d->bottom - d->top)) + 0.5;
        set_color(c, guide, 1);
        cairo_move_to(c, d->left, y);
        cairo_line_to(c, d->right, y);
        cairo_stroke(c);
        set_color(c, quiet, 1);
        write_text(c, d->left - 8, y + 4, 12, 1, d->y->texts[i]);
    }
    for (int i = 0; i < d->x->axis.count; i++)
    {
        double x = floor(d->left + mark_at(&d->x->axis, i) * (d->right - d->left)) + 0.5;
        set_color(c, quiet, 1);
        cairo_move_to(c, x, d->bottom);
        cairo_line_to(c, x, d->bottom + 5);
        cairo_stroke(c);
        write_text(c, x, d->bottom + 19, 12, 0.5, d->x->texts[i]);
    }
    cairo_move_to(c, d->left, floor(d->bottom) + 0.5);
    cairo_line_to(c, d->right, floor(d->bottom) + 0.5);
    cairo_stroke(c);
    set_color(c, text_color, 1);
    if (d->plot->x_label) write_text(c, (d->left + d->right) / 2, d->bottom + 40, 13, 0.5, d->plot->x_label);
    if (!d->plot->y_label) return;
    cairo_save(c);
    cairo_translate(c, 18, (d->top + d->bottom) / 2);
    cairo_rotate(c, -1.5707963267948966);
    write_text(c, 0, 0, 13, 0.5, d->plot->y_label);
    cairo_restore(c);
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
    set_color(c, color_of(line), 0.16);
    cairo_fill(c);
}

static void draw_bars(const drawing *d, const sac_plot_line *line)
{
    set_color(d->cairo, color_of(line), 0.75);
    double zero = at_y(d, 0);
    for (int i = 0; i < line->count; i++)
    {
        if (!drawn(d, line, i)) continue;
        double x0 = at_x(d, line->x[i] - 0.42), x1 = at_x(d, line->x[i] + 0.42), y = at_y(d, line->y[i]);
        cairo_rectangle(d->cairo, x0, y, x1 - x0, zero - y);
    }
    cairo_fill(d->cairo);
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
    set_color(c, color_of(line), line->faint ? 0.45 : 1);
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
    set_color(c, quiet, 1);
    cairo_set_line_width(c, 1.2);
    cairo_set_dash(c, dashes, 2, 0);
    cairo_move_to(c, x, d->top);
    cairo_line_to(c, x, d->bottom);
    cairo_stroke(c);
    cairo_set_dash(c, NULL, 0, 0);
    if (d->plot->mark_name) write_text(c, x + 6, d->top + 12, 12, 0, d->plot->mark_name);
}

static void draw_all(drawing *d)
{
    cairo_t *c = d->cairo;
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    draw_heading(d);
    draw_axes(d);
    cairo_save(c);
    cairo_rectangle(c, d->left, d->top - 3, d->right - d->left + 3, d->bottom - d->top + 4);
    cairo_clip(c);
    for (int i = 0; i < d->plot->line_count; i++)
        if (sac_plot_has_band(&d->plot->lines[i]) && !d->plot->log_y) draw_band(d, &d->plot->lines[i]);
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
    const double scale = svg ? 1 : 2;
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create(path, SAC_PLOT_WIDTH, SAC_PLOT_HEIGHT)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * SAC_PLOT_WIDTH, 2 * SAC_PLOT_HEIGHT);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    drawing d = {cairo, plot, x, y, LEFT, TOP, SAC_PLOT_WIDTH - RIGHT, SAC_PLOT_HEIGHT - BOTTOM};
    draw_all(&d);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (!svg && status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return 0;
    snprintf(error, SAC_PLOT_ERROR_SIZE, "%s", cairo_status_to_string(status));
    return -1;
}

__attribute__((visibility("default"))) extern const sac_plot_calls sac_plot_module;

const sac_plot_calls sac_plot_module = {.draw = plot_draw};
