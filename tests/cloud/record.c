#include <stdio.h>
#include <stdlib.h>

#include "files/arrays/safetensors.h"
#include "recorded.h"
#include "table_scene.h"

/// Writes the depth pictures of tests/cloud/data, or the same tables in another size: cloud_record FOLDER [HEIGHT
/// WIDTH]

static sac_status record(const char *folder, int index, int height, int width)
{
    char path[512];
    table_picture p = recorded_take(index, height, width);
    const double camera[] = {p.camera.focal_row, p.camera.focal_column, p.camera.center_row, p.camera.center_column};
    double pose[12];
    for (int row = 0; row < 3; row++)
    {
        memcpy(pose + 4 * row, p.pose.rotation + 3 * row, 3 * sizeof *pose);
        pose[4 * row + 3] = p.pose.position[row];
    }
    const sac_tensor tensors[] = {
        {.name = "depth", .dtype = SAC_F32, .rank = 2, .shape = {p.height, p.width}, .data = p.depth},
        {.name = "intrinsics", .dtype = SAC_F64, .rank = 1, .shape = {4}, .data = camera},
        {.name = "pose", .dtype = SAC_F64, .rank = 2, .shape = {3, 4}, .data = pose},
    };
    snprintf(path, sizeof path, "%s/table_%d.safetensors", folder, index);
    const sac_status status = sac_tensors_save(path, tensors, 3, NULL, 0);
    free(p.depth);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) return 2;
    const int height = argc == 4 ? atoi(argv[2]) : RECORDED_HEIGHT, width = argc == 4 ? atoi(argv[3]) : RECORDED_WIDTH;
    if (height < 1 || width < 1 || height > RECORDED_MOST / width) return 2;
    for (int i = 0; i < RECORDED_PICTURES; i++)
        if (record(argv[1], i, height, width) != SAC_OK) return fprintf(stderr, "%s\n", sac_last_error()), 1;
    return 0;
}
