#include <math.h>

#include "base/error.h"
#include "saccade/tokens.h"

/// Depth images.

// Convert to metres, or to 0 where the pixel is not valid.
static float read_metres(const sac_depth *depth, int row, int column)
{
    const unsigned char *line = (const unsigned char *)depth->pixels + row * depth->row_stride;
    float metres = depth->format == SAC_DEPTH_METRES ? ((const float *)(const void *)line)[column]
                                                     : (float)((const uint16_t *)(const void *)line)[column] / 1000.0f;
    bool valid = metres > 0 && metres < INFINITY && metres >= depth->least && metres <= depth->most;
    return valid ? metres : 0;
}

void sac_depth_image(float *out, const sac_depth *depth)
{
    for (int row = 0; row < depth->height; row++)
        for (int column = 0; column < depth->width; column++)
        {
            float metres = read_metres(depth, row, column);
            *out++ = metres;
            *out++ = metres > 0 ? 1 : 0;
        }
}

// The pinhole camera: x = (column - cx) z / fx, y = (row - cy) z / fy, in metres, with y downwards.
int sac_depth_points(float *points, int stride, int *pixels, const sac_depth *depth, const sac_intrinsics *camera,
                     int step)
{
    SAC_ASSERT(step >= 1 && camera->focal_row != 0 && camera->focal_column != 0);
    int count = 0;
    for (int row = 0; row < depth->height; row += step)
        for (int column = 0; column < depth->width; column += step)
        {
            double z = (double)read_metres(depth, row, column);
            if (z == 0) continue;
            SAC_ASSERT(count < stride);
            points[count] = (float)((column - camera->center_column) * z / camera->focal_column);
            points[stride + count] = (float)((row - camera->center_row) * z / camera->focal_row);
            points[2 * stride + count] = (float)z;
            if (pixels) pixels[count] = row * depth->width + column;
            count++;
        }
    return count;
}
