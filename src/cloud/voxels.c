#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"

/// The voxel grid: one point for each cube that holds any.

sac_status sac_cloud_voxels(sac_cloud_memory *memory, float *out, int out_stride, int *out_count, const float *points,
                            int stride, int count, float size)
{
    *out_count = 0;
    SAC_TRY(sac_cloud_check(memory, points, stride, count, size, "a voxel grid"));
    SAC_ASSERT(out_stride >= count);
    sac_cloud_fill(memory, points, stride, count, (double)(1 / size), false);
    const float *x = points, *y = points + stride, *z = y + stride;
    memset(memory->sums, 0, (size_t)memory->cubes * 3 * sizeof *memory->sums);
    for (int i = 0; i < count; i++)
    {
        double *sum = memory->sums + 3 * (ptrdiff_t)memory->cube_of[i];
        sum[0] += (double)x[i], sum[1] += (double)y[i], sum[2] += (double)z[i];
    }
    float *to_x = out, *to_y = out + out_stride, *to_z = to_y + out_stride;
    for (int cube = 0; cube < memory->cubes; cube++)
    {
        const double *sum = memory->sums + 3 * (ptrdiff_t)cube, share = memory->counts[cube];
        to_x[cube] = (float)(sum[0] / share), to_y[cube] = (float)(sum[1] / share),
        to_z[cube] = (float)(sum[2] / share);
    }
    *out_count = memory->cubes;
    return SAC_OK;
}
