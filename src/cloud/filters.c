#include <float.h>

#include "base/error.h"
#include "base/level.h"
#include "cloud/cloud.h"

/// From a depth picture to points, and the filters that keep some points.

// Move the valid points of a strip behind those that were kept before. Room for one more is never written to in vain:
// the next place is at most that of the strip's own point.
static int keep(float *out, int out_stride, int kept, const float *x, const float *y, const float *z, const int *valid,
                int count)
{
    float *to_x = out, *to_y = out + out_stride, *to_z = out + 2 * (ptrdiff_t)out_stride;
    for (int i = 0; i < count; i++)
    {
        to_x[kept] = x[i], to_y[kept] = y[i], to_z[kept] = z[i];
        kept += valid[i];
    }
    return kept;
}

static int keep_indices(int *indices, int kept, int first, int step, const int *valid, int count)
{
    for (int i = 0; i < count; i++)
    {
        indices[kept] = first + i * step;
        kept += valid[i];
    }
    return kept;
}

// What is the same for all pixels, and for all of a row.
static sac_cloud_row row_of(const sac_depth *depth, const sac_intrinsics *camera, const sac_pose *pose,
                            const sac_bounds *bounds, int row, int step)
{
    static const sac_pose still = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    static const sac_bounds all = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}}; // what is finite
    if (!pose) pose = &still;
    const double v = (row - camera->center_row) / camera->focal_row;
    sac_cloud_row r = {.depth = depth,
                       .row = row,
                       .step = step,
                       .focal = (float)(1 / camera->focal_column),
                       .center = (float)(camera->center_column / camera->focal_column),
                       .bounds = bounds ? bounds : &all};
    for (int i = 0; i < 3; i++)
    {
        r.along[i] = (float)pose->rotation[3 * i];
        r.base[i] = (float)(pose->rotation[3 * i + 1] * v + pose->rotation[3 * i + 2]);
        r.position[i] = (float)pose->position[i];
    }
    return r;
}

int sac_cloud_from_depth(float *points, int stride, int *pixels, const sac_depth *depth, const sac_intrinsics *camera,
                         const sac_pose *pose, const sac_bounds *bounds, int step)
{
    SAC_ASSERT(step >= 1 && camera->focal_row != 0 && camera->focal_column != 0);
    const sac_cloud_loops *loops = SAC_AT_LEVEL(&sac_cloud_loops);
    const int columns = (depth->width + step - 1) / step;
    SAC_ASSERT((int64_t)stride >= (int64_t)columns * ((depth->height + step - 1) / step));
    float strip[3 * SAC_CLOUD_STRIP];
    int valid[SAC_CLOUD_STRIP], kept = 0;
    for (int row = 0; row < depth->height; row += step)
    {
        const sac_cloud_row r = row_of(depth, camera, pose, bounds, row, step);
        for (int first = 0; first < columns; first += SAC_CLOUD_STRIP)
        {
            const int count = columns - first < SAC_CLOUD_STRIP ? columns - first : SAC_CLOUD_STRIP;
            loops->project(strip, valid, &r, first, count);
            if (pixels) keep_indices(pixels, kept, row * depth->width + first * step, step, valid, count);
            kept =
                keep(points, stride, kept, strip, strip + SAC_CLOUD_STRIP, strip + 2 * SAC_CLOUD_STRIP, valid, count);
        }
    }
    return kept;
}

int sac_cloud_pass(float *out, int out_stride, int *kept, const float *points, int stride, int count,
                   const sac_bounds *bounds)
{
    SAC_ASSERT(count >= 0 && stride >= count && out_stride >= count);
    const sac_cloud_loops *loops = SAC_AT_LEVEL(&sac_cloud_loops);
    int valid[SAC_CLOUD_STRIP], n = 0;
    for (int first = 0; first < count; first += SAC_CLOUD_STRIP)
    {
        const int some = count - first < SAC_CLOUD_STRIP ? count - first : SAC_CLOUD_STRIP;
        const float *x = points + first, *y = x + stride, *z = y + stride;
        loops->within(valid, x, y, z, bounds, some);
        if (kept) keep_indices(kept, n, first, 1, valid, some);
        n = keep(out, out_stride, n, x, y, z, valid, some);
    }
    return n;
}

int sac_cloud_off_plane(float *out, int out_stride, int *kept, const float *points, int stride, int count,
                        const sac_cloud_plane *plane, float distance)
{
    SAC_ASSERT(count >= 0 && stride >= count && out_stride >= count);
    const sac_cloud_loops *loops = SAC_AT_LEVEL(&sac_cloud_loops);
    const float p[4] = {(float)plane->normal[0], (float)plane->normal[1], (float)plane->normal[2],
                        (float)plane->offset};
    int valid[SAC_CLOUD_STRIP], n = 0;
    for (int first = 0; first < count; first += SAC_CLOUD_STRIP)
    {
        const int some = count - first < SAC_CLOUD_STRIP ? count - first : SAC_CLOUD_STRIP;
        const float *x = points + first, *y = x + stride, *z = y + stride;
        loops->beyond(valid, x, y, z, p, distance, some);
        if (kept) keep_indices(kept, n, first, 1, valid, some);
        n = keep(out, out_stride, n, x, y, z, valid, some);
    }
    return n;
}
