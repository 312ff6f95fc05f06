#include <stdio.h>
#include <stdlib.h>

#include "recorded.h"

/// What every step gives for a recorded depth picture, for peer.cc: cloud_steps PICTURE.safetensors OUT. The file holds
/// doubles and arrays of float32 and int32, in the order in which they are written here.

enum
{
    MOST = RECORDED_MOST
};

static float all[3 * MOST], seen[3 * MOST], cells[3 * MOST], left[3 * MOST];
static int kept[MOST], labels[MOST];

static void put_points(FILE *file, const float *points, int stride, int count)
{
    table_put(file, count);
    for (int d = 0; d < 3; d++) fwrite(points + (ptrdiff_t)d * stride, sizeof *points, (size_t)count, file);
}

static void put_integers(FILE *file, const int *numbers, int count)
{
    table_put(file, count);
    fwrite(numbers, sizeof *numbers, (size_t)count, file);
}

static sac_status put_steps(FILE *file, const table_picture *p, const sac_segmenter_def *def, sac_cloud_memory *memory)
{
    const sac_depth depth = table_depth(p);
    sac_cloud_plane plane;
    int cell_count, clusters;
    const int n = sac_cloud_from_depth(all, MOST, NULL, &depth, &p->camera, &p->pose, NULL, 1);
    put_points(file, all, MOST, n);
    const int seen_count = sac_cloud_pass(seen, MOST, kept, all, MOST, n, &def->bounds);
    put_points(file, seen, MOST, seen_count);
    sac_status status = sac_cloud_voxels(memory, cells, MOST, &cell_count, seen, MOST, seen_count, def->voxel);
    if (status == SAC_OK) status = sac_cloud_find_plane(&plane, cells, MOST, cell_count, &def->plane);
    if (status != SAC_OK) return status;
    put_points(file, cells, MOST, cell_count);
    for (int d = 0; d < 3; d++) table_put(file, plane.normal[d]);
    table_put(file, plane.offset);
    const int left_count = sac_cloud_off_plane(left, MOST, kept, cells, MOST, cell_count, &plane, def->plane.distance);
    put_integers(file, kept, left_count);
    put_points(file, left, MOST, left_count);
    status = sac_cloud_clusters(memory, labels, &clusters, left, MOST, left_count, def->reach, def->least_points, MOST);
    put_integers(file, labels, left_count);
    return status;
}

static sac_status put_objects(FILE *file, const table_picture *p, const sac_segmenter_def *def)
{
    const sac_depth depth = table_depth(p);
    sac_segmenter *segmenter;
    sac_segments found;
    sac_status status = sac_segmenter_create(&segmenter, def);
    if (status == SAC_OK) status = sac_segmenter_run(segmenter, &found, &depth, &p->camera, &p->pose);
    for (int i = 0; status == SAC_OK && i <= found.object_count; i++)
    {
        const sac_cloud_object *o = &found.objects[i];
        table_put(file, i < found.object_count ? o->count : 0);
        for (int d = 0; i < found.object_count && d < 3; d++)
            table_put(file, (double)o->center[d]), table_put(file, (double)o->axis[d]);
    }
    sac_segmenter_destroy(segmenter);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    sac_cloud_file read = {0};
    sac_cloud_memory *memory = NULL;
    const sac_segmenter_def def = table_def(MOST);
    FILE *file = fopen(argv[2], "wb");
    sac_status status = file ? sac_cloud_file_load(&read, argv[1]) : SAC_ERROR_FILE;
    if (status == SAC_OK) status = sac_cloud_memory_create(&memory, MOST);
    const table_picture p = {(float *)read.depth.pixels, read.depth.height, read.depth.width, read.camera, read.pose};
    if (status == SAC_OK) table_put_picture(file, &p, &def);
    if (status == SAC_OK) status = put_steps(file, &p, &def, memory);
    if (status == SAC_OK) status = put_objects(file, &p, &def);
    if (status != SAC_OK) fprintf(stderr, "%s\n", sac_last_error());
    sac_cloud_memory_destroy(memory);
    sac_cloud_file_clear(&read);
    return (file && fclose(file) != 0) || status != SAC_OK;
}
