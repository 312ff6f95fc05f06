#pragma once

#include "bench.h"

/// Figures that are kept in the repository: bench/results/<processor>/bench.csv.

/// One measured row.
typedef struct bench_result
{
    char name[48], unit[16];
    bench_figure figure;
    char peer[64];                         ///< "" when absent
    double peer_value, peer_p50, peer_p99; ///< p50 and p99 do not land
    double peer_low, peer_high;            ///< 95 % interval of a median over seeds
} bench_result;

/// The path bench/results/<processor>/<file>, whose folder is made if asked for.
void bench_landed_path(char path[256], const char *file, bool make_folder);

/// Read the results last kept for this processor. @return how many
int bench_read_landed(bench_result *results, int capacity);

/// Write medians over seeds, with their intervals, beside those kept before: bench/results/<processor>/evals.csv.
sac_status bench_land_evals(const bench_result *results, int count);

/// Write these results beside those kept before; a row of the same name is replaced.
sac_status bench_land(const bench_result *results, int count);
