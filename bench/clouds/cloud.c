#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench.h"
#include "table_scene.h"

/// Rows of point clouds: from a depth picture of a table to the objects on it, beside the Point Cloud Library.

enum
{
    RUNS = 30
};

static sac_status write_picture(const table_picture *p, const sac_segmenter_def *def, const bench_place *place)
{
    char path[128];
    snprintf(path, sizeof path, "%s/picture", place->folder);
    FILE *file = fopen(path, "wb");
    if (!file) return sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
    table_put_picture(file, p, def);
    const bool good = !ferror(file);
    if (fclose(file) == 0 && good) return SAC_OK;
    return sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
}

static sac_status write_count(int count, const bench_place *place)
{
    char path[128];
    snprintf(path, sizeof path, "%s/objects", place->folder);
    FILE *file = fopen(path, "w");
    if (!file) return sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
    fprintf(file, "%d\n", count);
    return fclose(file) == 0 ? SAC_OK : sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
}

static sac_status measure(const table_picture *p, const sac_segmenter_def *def, const bench_place *place,
                          bench_figure *figure)
{
    const sac_depth depth = table_depth(p);
    sac_segmenter *segmenter;
    sac_segments found = {0};
    SAC_TRY(sac_segmenter_create(&segmenter, def));
    sac_status status = SAC_OK;
    for (int run = 0; run < RUNS && status == SAC_OK; run++)
    {
        const double begin = sac_clock();
        status = sac_segmenter_run(segmenter, &found, &depth, &p->camera, &p->pose);
        bench_keep(figure, (sac_clock() - begin) * 1e6, false);
    }
    sac_segmenter_destroy(segmenter);
    SAC_TRY(status);
    SAC_TRY(write_picture(p, def, place));
    return write_count(found.object_count, place);
}

sac_status bench_cloud(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    int height = 0, width = 0;
    if (sscanf(place->row->name, "cloud-%dx%d", &height, &width) != 2)
        return sac_fail(SAC_ERROR_ARGUMENT, "bench: %s names no size", place->row->name);
    const table_scene scene = table_make(8);
    const table_camera camera = {height, width, 0.9, 0.5, 1, 0.001, 0.02};
    table_picture p = table_take(&scene, &camera, 8);
    const sac_segmenter_def def = table_def(height * width);
    const sac_status status = measure(&p, &def, place, figure);
    free(p.depth);
    return status;
}
