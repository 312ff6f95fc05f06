#pragma once

#include "saccade/view.h"

/// The table that saccade-plot.so exports as `sac_plot_module`: plots drawn by cairo. What stands where is decided
/// before: the module gets axes with their texts.

enum
{
    SAC_PLOT_ERROR_SIZE = 256,
    SAC_PLOT_MAX_MARKS = 24,
    SAC_PLOT_WIDTH = 720, ///< points of an SVG; a PNG has twice as many pixels
    SAC_PLOT_HEIGHT = 440,
};

typedef struct sac_plot_axis
{
    sac_axis axis;
    char texts[SAC_PLOT_MAX_MARKS][24];
} sac_plot_axis;

static inline bool sac_plot_has_band(const sac_plot_line *line)
{
    return line->spread || (line->low && line->high);
}

/// The upper (side 1) or lower (-1) edge of a line's band at a point.
static inline double sac_plot_edge(const sac_plot_line *line, int point, int side)
{
    if (line->low && line->high) return side > 0 ? line->high[point] : line->low[point];
    return line->y[point] + side * line->spread[point];
}

typedef struct sac_plot_calls
{
    /// @return -1 with a sentence
    int (*draw)(const sac_plot *plot, const sac_plot_axis *x, const sac_plot_axis *y, const char *path, int svg,
                char *error);
} sac_plot_calls;
