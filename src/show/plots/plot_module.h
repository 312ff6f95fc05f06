#pragma once

#include "saccade/plot.h"

/// The table that saccade-plot.so exports as `sac_plot_module`: plots drawn by cairo. All positions are decided before:
/// the module gets axes with their texts.

enum
{
    SAC_PLOT_ERROR_SIZE = 256,
    SAC_PLOT_MAX_MARKS = 24,
    SAC_PLOT_WIDTH = 720, ///< points of an SVG; a PNG has twice as many pixels
    SAC_PLOT_HEIGHT = 440,
};

/// An axis with its marks: the position of each as a share of the axis, and its text.
typedef struct sac_plot_axis
{
    sac_axis axis;
    double places[SAC_PLOT_MAX_MARKS];
    char texts[SAC_PLOT_MAX_MARKS][48];
} sac_plot_axis;

static inline bool sac_plot_has_band(const sac_plot_line *line)
{
    return line->spread || (line->low && line->high);
}

/// Compute the upper (side 1) or lower (-1) edge of a line's band at a point.
static inline double sac_plot_edge(const sac_plot_line *line, int point, int side)
{
    if (line->low && line->high) return side > 0 ? line->high[point] : line->low[point];
    return line->y[point] + side * line->spread[point];
}

/// A field as the module draws it.
typedef struct sac_heat_picture
{
    const sac_heat_field *field;
    uint8_t *rgb; ///< [rows, columns, 3]
    sac_plot_axis y;
} sac_heat_picture;

enum
{
    SAC_HEAT_FIELDS = 4,
    SAC_HEAT_SHADES = 256,
};

/// A heat plot as the module draws it.
typedef struct sac_heat_sheet
{
    const sac_heat_plot *plot;
    sac_heat_picture pictures[SAC_HEAT_FIELDS];
    sac_plot_axis x, values;
    uint8_t shades[SAC_HEAT_SHADES][3]; ///< of the bar, from the bottom
} sac_heat_sheet;

typedef struct sac_plot_calls
{
    /// @return -1 with an error message
    int (*draw)(const sac_plot *plot, const sac_plot_axis *x, const sac_plot_axis *y, const char *path, int svg,
                char *error);
    int (*draw_heat)(const sac_heat_sheet *sheet, const char *path, int svg, char *error);
    int (*draw_ellipses)(const sac_ellipse_plot *plot, const char *path, int svg, char *error);
    int (*paint_ellipses)(const sac_ellipse_plot *plot, uint8_t *rgb, char *error);
} sac_plot_calls;

enum
{
    SAC_ELLIPSE_COLUMNS = 3, ///< panels in a row
    SAC_ELLIPSE_TOP = 58,    ///< room for title and subtitle
    SAC_ELLIPSE_PANEL = 236, ///< height of a row: a square and its name
};

/// The height of a sheet of panels, in points.
static inline int sac_ellipse_height(int panel_count)
{
    return SAC_ELLIPSE_TOP + (panel_count + SAC_ELLIPSE_COLUMNS - 1) / SAC_ELLIPSE_COLUMNS * SAC_ELLIPSE_PANEL;
}

/// Mark an axis from `low` to `high` with about `wanted` marks.
void sac_plot_mark(sac_plot_axis *axis, double low, double high, int wanted, bool logarithmic);

/// Let `draw` write `path` through the module: under another name first, and renamed once it is whole.
sac_status sac_plot_through_module(const char *path,
                                   int (*draw)(const sac_plot_calls *calls, const void *what, const char *path, int svg,
                                               char *error),
                                   const void *what);
