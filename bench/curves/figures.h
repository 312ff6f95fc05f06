#pragma once

#include "saccade/plot.h"

/// Plots of what was measured.

enum
{
    BENCH_CURVE_POINTS = 16
};

/// A line with room for its points.
typedef struct bench_curve
{
    double x[BENCH_CURVE_POINTS], y[BENCH_CURVE_POINTS];
    sac_plot_line line;
} bench_curve;

void bench_curve_begin(bench_curve *curve, const char *name, int color);
void bench_curve_add(bench_curve *curve, double x, double y);

/// Draw curves; those without a point are left out.
sac_status bench_curves_draw(sac_plot plot, const bench_curve *curves, int count, const char *folder, const char *name);

/// The papers' figures with this machine's numbers, as a table and an SVG each.
sac_status bench_draw_frame(const char *folder);      ///< Unlocking Pixels, figure 1: brute force, ReLU and hybrid
sac_status bench_draw_cloud(const char *folder);      ///< SARA-RT, figure 6: against the size of a point cloud
sac_status bench_draw_resolution(const char *folder); ///< SARA-RT, figure 8: against the resolution of an image
