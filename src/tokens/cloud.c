#include <math.h>
#include <string.h>

#include "base/error.h"
#include "saccade/tokens.h"

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

// Do one rotation of Jacobi's method, which makes a[p][q] vanish; the columns of v are rotated with it.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    // the smaller of the two angles that do so, whose tangent t solves t^2 + 2 theta t = 1 (Golub and Van Loan,
    // Matrix Computations, on Jacobi methods)
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++)
    {
        double left = a[k][p], right = a[k][q];
        a[k][p] = c * left - s * right;
        a[k][q] = s * left + c * right;
    }
    for (int k = 0; k < 3; k++)
    {
        double upper = a[p][k], lower = a[q][k];
        a[p][k] = c * upper - s * lower;
        a[q][k] = s * upper + c * lower;
        upper = v[k][p], lower = v[k][q];
        v[k][p] = c * upper - s * lower;
        v[k][q] = s * upper + c * lower;
    }
}

void sac_cloud_axis(float axis[3], const sac_cloud *cloud)
{
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    find_covariance(a, cloud);
    // Each sweep squares the size of what is left beside the diagonal, so six sweeps are plenty.
    for (int sweep = 0; sweep < 10; sweep++)
        for (int pair = 0; pair < 3; pair++) rotate(a, v, pair / 2, pair == 0 ? 1 : 2);
    int major = 2, largest = 0;
    for (int i = 0; i < 2; i++)
        if (a[i][i] > a[major][major]) major = i;
    for (int i = 1; i < 3; i++)
        if (fabs(v[i][major]) > fabs(v[largest][major])) largest = i;
    // An axis has no sign of its own. The largest number of it is made positive, so that equal clouds have equal axes.
    double sign = v[largest][major] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) axis[i] = (float)(sign * v[i][major]);
}
