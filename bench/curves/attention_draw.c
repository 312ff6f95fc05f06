#include "base/error.h"
#include "curves/attention.h"
#include "curves/figures.h"
#include "files/atomic.h"
#include "saccade/result_plots.h"

/// Write a sweep into a folder: the table, its curves, and the papers' figures.

sac_status bench_draw(const bench_points *points, const char *folder)
{
    char table[SAC_PATH_SIZE], time[SAC_PATH_SIZE], memory[SAC_PATH_SIZE];
    SAC_TRY(sac_make_folders(folder));
    SAC_TRY(sac_join_path(table, folder, "attention.csv"));
    SAC_TRY(sac_join_path(time, folder, "attention-time.svg"));
    SAC_TRY(sac_join_path(memory, folder, "attention-memory.svg"));
    SAC_TRY(bench_points_write(points, table));
    SAC_TRY(sac_plot_kernels(table, false, NULL, time));
    SAC_TRY(sac_plot_kernels(table, true, NULL, memory));
    SAC_TRY(bench_draw_frame(folder));
    SAC_TRY(bench_draw_cloud(folder));
    return bench_draw_resolution(folder);
}
