#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "curves/attention.h"
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

// Keeps what has landed before and was not measured now, so that landing one form leaves the others as they are.
static sac_status add_landed(bench_points *all, const bench_points *measured, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return SAC_OK; // nothing has landed yet
    char line[256];
    sac_status status = SAC_OK;
    while (status == SAC_OK && fgets(line, sizeof line, file))
    {
        bench_point p = {0};
        bool whole = sscanf(line, "%15[^,],%31[^,],%23[^,],%d,%lg,%lg,%lg,%d,%lg", p.by, p.version, p.form, &p.tokens,
                            &p.latency.best, &p.latency.p50, &p.latency.p99, &p.latency.runs, &p.memory) == 9;
        // saccade's own points have no version
        if (!whole)
            whole = sscanf(line, "%15[^,],,%23[^,],%d,%lg,%lg,%lg,%d,%lg", p.by, p.form, &p.tokens, &p.latency.best,
                           &p.latency.p50, &p.latency.p99, &p.latency.runs, &p.memory) == 8;
        if (whole && !bench_points_find(measured, p.by, p.form, p.tokens)) status = bench_points_add(all, &p);
    }
    fclose(file);
    return status;
}

sac_status bench_land_points(const bench_points *points)
{
    char path[256];
    bench_landed_path(path, "attention.csv", true);
    bench_points all = {0};
    sac_status status = add_landed(&all, points, path);
    for (int i = 0; status == SAC_OK && i < points->count; i++) status = bench_points_add(&all, &points->all[i]);
    if (status == SAC_OK) status = bench_points_write(&all, path);
    bench_points_destroy(&all);
    SAC_TRY(status);
    fprintf(stderr, "landed in %s\n", path);
    return SAC_OK;
}
