#include <math.h>
#include <stdio.h>

#include "plot_drawing.h"

/// Panels of ellipses: each a square with a grid of whole numbers, and a cross where both are 0.

enum
{
    SIDE = 204, // of a square
    LEFT = 30,
    STEP = 230, // from square to square
    NAME = 10,  // room above it
    NAME_SIZE = 12
};

static const double turn = 6.283185307179586;

// Ellipses that leave the panel on all sides are drawn as if they were so large.
static const double most_deviations = 100; // in panels

static void draw_grid(cairo_t *c, double reach)
{
    const double unit = SIDE / (2 * reach);
    int step = 1;
    while (step * unit < 7) step *= 2;
    cairo_set_line_width(c, 1);
    for (int i = -(int)(reach / step); i * step <= reach; i++)
    {
        const double at = SIDE / 2.0 + i * step * unit;
        sac_draw_ink(c, i == 0 ? SAC_INK_QUIET : SAC_INK_GUIDE, i == 0 ? 0.6 : 1);
        cairo_move_to(c, at, 0);
        cairo_line_to(c, at, SIDE);
        cairo_move_to(c, 0, at);
        cairo_line_to(c, SIDE, at);
        cairo_stroke(c);
    }
}

// The axes of a covariance: deviations along them, and the angle of the first.
static void find_axes(const double s[3], double most, double deviations[2], double *angle)
{
    *angle = 0.5 * atan2(2 * s[1], s[0] - s[2]);
    const double middle = (s[0] + s[2]) / 2, apart = hypot((s[0] - s[2]) / 2, s[1]);
    const double values[] = {middle + apart, middle - apart};
    for (int i = 0; i < 2; i++) deviations[i] = values[i] < most * most ? sqrt(fmax(values[i], 0)) : most;
    if (!isfinite(*angle)) *angle = 0;
    if (isnan(values[1])) deviations[1] = most;
}

static void draw_ellipse(cairo_t *c, const sac_ellipse *e, double reach)
{
    const double unit = SIDE / (2 * reach), opacity = e->faint ? 0.25 : 1;
    const double x = SIDE / 2.0 + e->x * unit, y = SIDE / 2.0 + e->y * unit;
    const int ink = SAC_INK_LINES + (int)((unsigned)e->color % SAC_PLOT_LINE_COLORS);
    double deviations[2], angle;
    if (!isfinite(x) || !isfinite(y)) return;
    find_axes(e->covariance, most_deviations * reach, deviations, &angle);
    for (int contour = 2; contour >= 1; contour--)
    {
        cairo_save(c);
        cairo_translate(c, x, y);
        cairo_rotate(c, angle);
        cairo_scale(c, fmax(contour * deviations[0] * unit, 0.5), fmax(contour * deviations[1] * unit, 0.5));
        cairo_new_sub_path(c);
        cairo_arc(c, 0, 0, 1, 0, turn);
        cairo_restore(c);
        sac_draw_ink(c, ink, 0.12 * opacity);
        cairo_fill_preserve(c);
        sac_draw_ink(c, ink, (contour == 1 ? 1 : 0.5) * opacity);
        cairo_set_line_width(c, 1.3);
        cairo_stroke(c);
    }
    if (e->number < 0) return;
    char text[16];
    snprintf(text, sizeof text, "%d", e->number);
    sac_draw_ink(c, SAC_INK_TEXT, e->faint ? 0.4 : 1);
    sac_draw_text(c, x, y + 3.5, 10, 0.5, text);
}

static double widest_name(cairo_t *c, const sac_ellipse_plot *plot, double size)
{
    double widest = 0;
    for (int i = 0; i < plot->panel_count; i++)
        if (plot->panels[i].name) widest = fmax(widest, sac_draw_text_width(c, size, plot->panels[i].name));
    return widest;
}

// The size of letters at which no name is wider than its square: one for all, as they stand side by side. Hinted
// letters do not shrink in proportion, so it is searched for.
static double fit_names(cairo_t *c, const sac_ellipse_plot *plot)
{
    double size = NAME_SIZE;
    while (widest_name(c, plot, size) > SIDE && size > 1) size -= 0.25;
    return size;
}

static void draw_panel(cairo_t *c, const sac_ellipse_panel *panel, double reach, double letters)
{
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (panel->name) sac_draw_text(c, 0, -6, letters, 0, panel->name);
    cairo_save(c);
    cairo_rectangle(c, 0, 0, SIDE, SIDE);
    cairo_clip(c);
    draw_grid(c, reach);
    for (int i = 0; i < panel->count; i++) draw_ellipse(c, &panel->ellipses[i], reach);
    cairo_restore(c);
    cairo_rectangle(c, 0, 0, SIDE, SIDE);
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    cairo_set_line_width(c, 1);
    cairo_stroke(c);
}

static void draw_all(cairo_t *c, const void *what)
{
    const sac_ellipse_plot *plot = what;
    (void)sac_draw_heading(c, plot->title, plot->subtitle);
    const double letters = fit_names(c, plot);
    for (int i = 0; i < plot->panel_count; i++)
    {
        cairo_save(c);
        const int row = i / SAC_ELLIPSE_COLUMNS, column = i % SAC_ELLIPSE_COLUMNS;
        cairo_translate(c, LEFT + column * STEP + 0.5, SAC_ELLIPSE_TOP + row * SAC_ELLIPSE_PANEL + NAME + 12.5);
        draw_panel(c, &plot->panels[i], plot->reach, letters);
        cairo_restore(c);
    }
}

int sac_draw_ellipses(const sac_ellipse_plot *plot, const char *path, int svg, char *error)
{
    return sac_draw_file(path, svg, SAC_PLOT_WIDTH, sac_ellipse_height(plot->panel_count), draw_all, plot, error);
}

int sac_paint_ellipses(const sac_ellipse_plot *plot, uint8_t *rgb, char *error)
{
    return sac_draw_pixels(rgb, SAC_PLOT_WIDTH, sac_ellipse_height(plot->panel_count), draw_all, plot, error);
}
