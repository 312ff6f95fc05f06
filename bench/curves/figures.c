#include "curves/figures.h"

#include <math.h>

#include "base/error.h"
#include "files/atomic.h"

enum
{
    MOST_CURVES = 16
};

void bench_curve_begin(bench_curve *curve, const char *name, int color)
{
    curve->line = (sac_plot_line){.name = name, .x = curve->x, .y = curve->y, .color = color};
}

void bench_curve_add(bench_curve *curve, double x, double y)
{
    SAC_ASSERT(curve->line.count < BENCH_CURVE_POINTS);
    curve->x[curve->line.count] = x;
    curve->y[curve->line.count++] = y;
}

sac_status bench_curves_draw(sac_plot plot, const bench_curve *curves, int count, const char *folder, const char *name)
{
    sac_plot_line lines[MOST_CURVES];
    SAC_ASSERT(count <= MOST_CURVES);
    plot.line_count = 0;
    for (int i = 0; i < count; i++)
        if (curves[i].line.count > 0) lines[plot.line_count++] = curves[i].line;
    if (plot.line_count == 0) return SAC_OK;
    plot.lines = lines;
    plot.mark_x = NAN;
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, folder, name));
    return sac_plot_write(&plot, path);
}
