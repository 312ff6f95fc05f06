#include <math.h>

#include "base/error.h"
#include "cloud/cloud.h"

/// The voxel grid: one point for each cube that holds any.

// floor of a float that fits an int; floorf is a call where a level has no instruction for it
static inline int floor_of(float x)
{
    const int whole = (int)x;
    return whole - (x < (float)whole);
}

static void add_points(sac_cloud_memory *m, const float *points, int stride, int count, float size)
{
    const float *x = points, *y = points + stride, *z = y + stride, inverse = 1 / size;
    uint64_t last = UINT64_MAX; // no cube's
    int cube = -1;
    for (int i = 0; i < count; i++)
    {
        const uint64_t key =
            sac_cloud_key(floor_of(x[i] * inverse), floor_of(y[i] * inverse), floor_of(z[i] * inverse));
        // neighbours in a picture are often in the same cube
        if (key != last)
        {
            const int before = m->cubes;
            cube = sac_cloud_enter(m, last = key);
            if (m->cubes > before) m->sums[3 * cube] = m->sums[3 * cube + 1] = m->sums[3 * cube + 2] = 0;
        }
        double *sum = m->sums + 3 * (ptrdiff_t)cube;
        sum[0] += (double)x[i], sum[1] += (double)y[i], sum[2] += (double)z[i];
        m->counts[cube]++;
    }
}

sac_status sac_cloud_voxels(sac_cloud_memory *memory, float *out, int out_stride, int *out_count, const float *points,
                            int stride, int count, float size)
{
    *out_count = 0;
    SAC_TRY(sac_cloud_check(memory, points, stride, count, size, "a voxel grid"));
    SAC_ASSERT(out_stride >= count);
    sac_cloud_begin(memory);
    add_points(memory, points, stride, count, size);
    float *x = out, *y = out + out_stride, *z = y + out_stride;
    for (int cube = 0; cube < memory->cubes; cube++)
    {
        const double *sum = memory->sums + 3 * (ptrdiff_t)cube, share = memory->counts[cube];
        x[cube] = (float)(sum[0] / share), y[cube] = (float)(sum[1] / share), z[cube] = (float)(sum[2] / share);
    }
    *out_count = memory->cubes;
    return SAC_OK;
}
