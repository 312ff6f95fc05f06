#pragma once

#include "saccade/base.h"

/// Plots have lines, bars, points and fields of colours over axes with round numbers.

/// A line of a plot.
typedef struct sac_plot_line
{
    const char *name;     ///< in the legend; NULL: not there
    const double *x, *y;  ///< [count]; points that are not finite are left out
    const double *spread; ///< [count]: a band y - spread .. y + spread; NULL: none
    int count;
    int color;                ///< 0..5
    bool faint;               ///< thin and pale: context for the others
    bool bars;                ///< a bar from 0 at every x instead of a line; its spread is a whisker
    bool dots;                ///< points alone, not joined
    const double *low, *high; ///< [count]: a band between them, instead of spread; NULL: none
    double offset, width;     ///< of bars: from x to their middle, and across; width 0: 0.84
} sac_plot_line;

/// A plot has lines over axes with round numbers.
typedef struct sac_plot
{
    const char *title, *subtitle, *x_label, *y_label; ///< UTF-8; NULL: none
    const sac_plot_line *lines;
    int line_count;
    double mark_x; ///< a dashed line across with its name; NaN: none
    const char *mark_name;
    bool from_zero;             ///< both axes begin at 0
    bool log_x, log_y;          ///< logarithmic; points that are not positive are left out
    const char *const *x_names; ///< stand at x = 0, 1, ... instead of numbers; NULL: numbers
    int x_name_count;           ///< 1..24
} sac_plot;

/// Draw a plot into a file that ends in .svg or .png.
/// @return SAC_ERROR_ARGUMENT for another ending or when there is no finite point, SAC_ERROR_UNAVAILABLE without cairo,
///         SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_plot_write(const sac_plot *plot, const char *path);

/// A field of cells in the heat map's colours, see sac_heat_color.
typedef struct sac_heat_field
{
    const char *name, *y_label; ///< NULL: none
    const double *values;       ///< [rows, columns], row 0 at the top
    int rows, columns;
    const int *numbers; ///< [rows, columns]: written on a cell where it is above 0; NULL: none
} sac_heat_field;

/// A heat plot has fields one below the other over one axis, and a bar that says which colour is which value.
typedef struct sac_heat_plot
{
    const char *title, *subtitle, *x_label, *value_label; ///< NULL: none
    const sac_heat_field *fields;                         ///< colours are ranks among the values of all
    int field_count;                                      ///< 1..4
    double x_first, x_last;                               ///< what the first and the last column stand for
    bool square;                                          ///< cells are squares
} sac_heat_plot;

/// Draw fields into a file that ends in .svg or .png.
/// @return as sac_plot_write
SAC_API SAC_CHECKED sac_status sac_heat_plot_write(const sac_heat_plot *plot, const char *path);

/// An ellipse around a centre, drawn where a Gaussian of this covariance is one and two deviations away.
typedef struct sac_ellipse
{
    double x, y;          ///< y grows downwards
    double covariance[3]; ///< xx, xy, yy; positive semi-definite; may be infinite
    int color;            ///< 0..5
    int number;           ///< written at the centre; below 0: none
    bool faint;           ///< pale, for what does not count
} sac_ellipse;

/// A square with ellipses.
typedef struct sac_ellipse_panel
{
    const char *name; ///< above it; letters become smaller until the widest name of a plot fits its square; NULL: none
    const sac_ellipse *ellipses;
    int count;
} sac_ellipse_panel;

/// An ellipse plot has panels side by side, three in a row, all over the same square: -reach..reach on both axes, with
/// a grid of whole numbers and a cross at 0.
typedef struct sac_ellipse_plot
{
    const char *title, *subtitle; ///< NULL: none
    const sac_ellipse_panel *panels;
    int panel_count; ///< 1..64
    double reach;    ///< above 0
} sac_ellipse_plot;

/// Draw panels into a file that ends in .svg or .png.
/// @return as sac_plot_write
SAC_API SAC_CHECKED sac_status sac_ellipse_plot_write(const sac_ellipse_plot *plot, const char *path);

/// The size of the picture that sac_ellipse_plot_draw draws of so many panels, both even, as films need them.
SAC_API void sac_ellipse_plot_size(int panel_count, int *height, int *width);

/// Draw panels into a picture.
/// @param[out] rgb  [height, width, 3] of sac_ellipse_plot_size
/// @return SAC_ERROR_UNAVAILABLE without cairo, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_ellipse_plot_draw(const sac_ellipse_plot *plot, uint8_t *rgb);

/// Round numbers at which an axis is marked: a step of 1, 2 or 5 times a power of ten, about `wanted` of them, and the
/// first and last multiple of it that enclose low..high.
typedef struct sac_axis
{
    double first, last, step;
    int count; ///< of marks: first, first + step, ..., last
} sac_axis;

SAC_API sac_axis sac_axis_of(double low, double high, int wanted);

/// The same for a logarithmic axis from low to high, both positive: powers of ten, or of two over short ranges, every
/// so many of them that there are about `wanted`; first, last and step are logarithms to the base 10.
SAC_API sac_axis sac_log_axis_of(double low, double high, int wanted);

/// The text of a mark, such as "250", "0.5", "40k" or "2M": one unit for the whole axis.
SAC_API void sac_axis_text(const sac_axis *axis, int index, char *text, size_t size);

/// The text of a mark of a logarithmic axis: "0.01", "1", "1000", far from 1 "10" with a raised exponent.
SAC_API void sac_log_axis_text(const sac_axis *axis, int index, char *text, size_t size);
