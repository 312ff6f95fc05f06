#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "base/error.h"
#include "landed.h"

/// The points that a sweep measured, and their file.

sac_status bench_points_add(bench_points *points, const bench_point *point)
{
    if (points->count == points->capacity)
    {
        int capacity = points->capacity ? 2 * points->capacity : 256;
        bench_point *all = realloc(points->all, (size_t)capacity * sizeof *all);
        if (!all) return sac_fail(SAC_ERROR_MEMORY, "no memory for the points of a bench");
        points->all = all;
        points->capacity = capacity;
    }
    points->all[points->count++] = *point;
    return SAC_OK;
}

const bench_point *bench_points_find(const bench_points *points, const char *by, const char *form, int tokens)
{
    for (int i = 0; i < points->count; i++)
    {
        const bench_point *p = &points->all[i];
        if (p->tokens == tokens && strcmp(p->form, form) == 0 && strcmp(p->by, by) == 0) return p;
    }
    return NULL;
}

void bench_points_destroy(bench_points *points)
{
    free(points->all);
    *points = (bench_points){0};
}

sac_status bench_points_write(const bench_points *points, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    fputs("by,version,form,tokens,best_us,p50_us,p99_us,calls,memory_bytes\n", file);
    for (int i = 0; i < points->count; i++)
    {
        const bench_point *p = &points->all[i];
        fprintf(file, "%s,%s,%s,%d,%.6g,%.6g,%.6g,%d,%.0f\n", p->by, p->version, p->form, p->tokens, p->latency.best,
                p->latency.p50, p->latency.p99, p->latency.runs, p->memory);
    }
    if (fclose(file) != 0) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    return SAC_OK;
}

sac_status bench_land_points(const bench_points *points)
{
    char path[256];
    bench_landed_path(path, "attention.csv", true);
    SAC_TRY(bench_points_write(points, path));
    fprintf(stderr, "landed in %s\n", path);
    return SAC_OK;
}
