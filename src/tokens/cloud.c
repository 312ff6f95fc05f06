#include <math.h>
#include <string.h>

#include "base/error.h"
#include "saccade/tokens.h"
#include "tokens/axis.h"

/// Point clouds.

// Read number i of a point; false where the point is not finite.
static bool read_point(float point[3], const sac_cloud *cloud, int n)
{
    memcpy(point, (const unsigned char *)cloud->points + n * cloud->point_stride, 3 * sizeof(float));
    return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

int sac_cloud_tokens(float *tokens, int stride, const sac_cloud *cloud, const float center[3])
{
    SAC_ASSERT(stride >= cloud->count && cloud->fields >= 0);
    int count = 0;
    float point[3];
    for (int n = 0; n < cloud->count; n++)
    {
        if (!read_point(point, cloud, n)) continue;
        for (int i = 0; i < 3; i++) tokens[i * stride + count] = point[i] - (center ? center[i] : 0);
        const unsigned char *from = (const unsigned char *)cloud->points + n * cloud->point_stride;
        for (int i = 3; i < 3 + cloud->fields; i++)
            memcpy(tokens + (size_t)i * (size_t)stride + count, from + (size_t)i * sizeof(float), sizeof(float));
        count++;
    }
    return count;
}

// Compute the mean of the points and count them.
static int find_mean(double mean[3], const sac_cloud *cloud)
{
    int count = 0;
    float point[3];
    mean[0] = mean[1] = mean[2] = 0;
    for (int n = 0; n < cloud->count; n++)
    {
        if (!read_point(point, cloud, n)) continue;
        for (int i = 0; i < 3; i++) mean[i] += (double)point[i];
        count++;
    }
    for (int i = 0; i < 3 && count > 0; i++) mean[i] /= count;
    return count;
}

void sac_cloud_center(float center[3], const sac_cloud *cloud)
{
    double mean[3];
    find_mean(mean, cloud);
    for (int i = 0; i < 3; i++) center[i] = (float)mean[i];
}

// The sum over points, not their mean: its axes are the same.
static void find_covariance(double a[3][3], const sac_cloud *cloud)
{
    double mean[3];
    float point[3];
    find_mean(mean, cloud);
    memset(a, 0, 9 * sizeof(double));
    for (int n = 0; n < cloud->count; n++)
    {
        if (!read_point(point, cloud, n)) continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) a[i][j] += ((double)point[i] - mean[i]) * ((double)point[j] - mean[j]);
    }
}

void sac_cloud_axis(float axis[3], const sac_cloud *cloud)
{
    double a[3][3];
    find_covariance(a, cloud);
    sac_major_axis(axis, a);
}
