#pragma once

#include <cairo.h>

#include "show/plots/plot_module.h"

/// What the two kinds of sheets share: inks, text, heading, and the writing of the file.

typedef enum sac_ink
{
    SAC_INK_TEXT,
    SAC_INK_QUIET,
    SAC_INK_GUIDE,
    SAC_INK_LINES, ///< of line colours 0..5
} sac_ink;

enum
{
    SAC_PLOT_LEFT = 70,
    SAC_PLOT_RIGHT = 24,
    SAC_PLOT_BOTTOM = 52,
    SAC_PLOT_LINE_COLORS = 6
};

void sac_draw_ink(cairo_t *c, int ink, double opacity);

/// @param anchor  0 left, 0.5 middle, 1 right of x
/// @return the width
double sac_draw_text(cairo_t *c, double x, double y, double size, double anchor, const char *text);

/// The width that this text would have.
double sac_draw_text_width(cairo_t *c, double size, const char *text);

/// Draw text that reads upwards, with its middle at a point.
void sac_draw_text_up(cairo_t *c, double x, double y, double size, const char *text);

/// Draw title and subtitle on a white ground. @return where the rest may begin
double sac_draw_heading(cairo_t *c, const char *title, const char *subtitle);

/// Draw into a file. @return -1 with an error message
int sac_draw_file(const char *path, int svg, int width, int height, void (*draw)(cairo_t *c, const void *what),
                  const void *what, char *error);

/// The entry point of plot_heat.c.
int sac_draw_heat(const sac_heat_sheet *sheet, const char *path, int svg, char *error);

/// Draw into a picture [2 height, 2 width, 3]. @return -1 with an error message
int sac_draw_pixels(uint8_t *rgb, int width, int height, void (*draw)(cairo_t *c, const void *what), const void *what,
                    char *error);

/// The entry points of plot_ellipses.c.
int sac_draw_ellipses(const sac_ellipse_plot *plot, const char *path, int svg, char *error);
int sac_paint_ellipses(const sac_ellipse_plot *plot, uint8_t *rgb, char *error);
