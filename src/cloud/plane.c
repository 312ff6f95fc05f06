#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/level.h"
#include "base/random.h"
#include "cloud/cloud.h"
#include "tokens/axis.h"

/// The plane that most points lie near.

enum
{
    MOST_TRIALS = 100000
};

sac_plane_search sac_plane_search_default(void)
{
    return (sac_plane_search){.distance = 0.01f, .trials = 200, .confidence = 0.99, .seed = 1};
}

static sac_status check(const float *points, int stride, int count, const sac_plane_search *search)
{
    SAC_ASSERT(stride >= count);
    if (!(search->distance > 0) || !isfinite(search->distance))
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: a plane's distance is %g m, expected more than 0",
                        (double)search->distance);
    if (search->trials < 1 || search->trials > MOST_TRIALS)
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: %d trials to find a plane, expected 1 to %d", search->trials,
                        MOST_TRIALS);
    if (!(search->confidence > 0 && search->confidence < 1))
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: a confidence of %g, expected more than 0 and less than 1",
                        search->confidence);
    if (count < 3) return sac_fail(SAC_ERROR_ARGUMENT, "cloud: %d points, but a plane takes 3", count);
    return sac_cloud_check_finite(points, stride, count, "a plane");
}

static void take_point(double x[3], const float *points, int stride, int index)
{
    for (int d = 0; d < 3; d++) x[d] = (double)points[d * (ptrdiff_t)stride + index];
}

// The plane through three points; false where they lie on a line, to the precision of the points.
static bool span(sac_cloud_plane *plane, double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], *n = plane->normal;
    for (int d = 0; d < 3; d++) u[d] = b[d] - a[d], v[d] = c[d] - a[d];
    for (int d = 0; d < 3; d++) n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(square > 1e-12 * uu * vv)) return false; // a sine below 1e-6
    const double length = sqrt(square);
    for (int d = 0; d < 3; d++) n[d] /= length;
    plane->offset = -(n[0] * a[0] + n[1] * a[1] + n[2] * a[2]);
    return true;
}

static void as_floats(float out[4], const sac_cloud_plane *plane)
{
    for (int d = 0; d < 3; d++) out[d] = (float)plane->normal[d];
    out[3] = (float)plane->offset;
}

static void count_near(sac_cloud_plane *plane, const float *points, int stride, int count, float distance)
{
    float p[4];
    as_floats(p, plane);
    plane->count = SAC_AT_LEVEL(&sac_cloud_loops)
                       ->count_near(points, points + stride, points + 2 * (ptrdiff_t)stride, p, distance, count);
}

static bool draw(sac_cloud_plane *plane, sac_stream *stream, const float *points, int stride, int count)
{
    double corners[3][3];
    uint32_t drawn[3];
    drawn[0] = sac_stream_below(stream, (uint32_t)count);
    do drawn[1] = sac_stream_below(stream, (uint32_t)count);
    while (drawn[1] == drawn[0]);
    do drawn[2] = sac_stream_below(stream, (uint32_t)count);
    while (drawn[2] == drawn[0] || drawn[2] == drawn[1]);
    for (int i = 0; i < 3; i++) take_point(corners[i], points, stride, (int)drawn[i]);
    return span(plane, corners[0], corners[1], corners[2]);
}

// By squaring, because libm's pow differs between systems.
static double power(double x, int n)
{
    double out = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2 != 0) out *= x;
    return out;
}

// The best of the trials; a count of 0: none of them spanned a plane.
static sac_cloud_plane try_planes(const float *points, int stride, int count, const sac_plane_search *search)
{
    sac_stream stream = sac_stream_create(search->seed, 0x91a2e, 0);
    sac_cloud_plane best = {.count = 0};
    for (int trial = 0; trial < search->trials; trial++)
    {
        sac_cloud_plane plane;
        if (!draw(&plane, &stream, points, stride, count)) continue;
        count_near(&plane, points, stride, count, search->distance);
        if (plane.count > best.count) best = plane;
        // the probability that no trial so far drew three points of the best plane
        const double share = (double)best.count / count, missed = power(1 - share * share * share, trial + 1);
        if (missed <= 1 - search->confidence) break;
    }
    return best;
}

// Sums of the points near a plane, of order 1 or, about `mean`, of order 2.
static void add_near(double mean[3], double square[3][3], const sac_cloud_plane *plane, const float *points, int stride,
                     int count, float distance)
{
    float p[4];
    int beyond[SAC_CLOUD_STRIP];
    double sum[3] = {0};
    as_floats(p, plane);
    for (int first = 0; first < count; first += SAC_CLOUD_STRIP)
    {
        const int some = count - first < SAC_CLOUD_STRIP ? count - first : SAC_CLOUD_STRIP;
        const float *x = points + first, *y = x + stride, *z = y + stride;
        SAC_AT_LEVEL(&sac_cloud_loops)->beyond(beyond, x, y, z, p, distance, some);
        for (int i = 0; i < some; i++)
        {
            if (beyond[i]) continue;
            const double at[3] = {(double)x[i], (double)y[i], (double)z[i]};
            for (int d = 0; d < 3; d++)
                if (!square)
                    sum[d] += at[d];
                else
                    for (int e = d; e < 3; e++) square[d][e] += (at[d] - mean[d]) * (at[e] - mean[e]);
        }
    }
    for (int d = 0; d < 3; d++)
        if (!square)
            mean[d] = sum[d] / plane->count;
        else
            for (int e = 0; e < d; e++) square[d][e] = square[e][d];
}

// The plane from which the squares of the distances of the points near a plane sum to the least: it goes through their
// mean, and its normal is the eigenvector of the least eigenvalue of their covariance.
static sac_cloud_plane refine(const sac_cloud_plane *plane, const float *points, int stride, int count, float distance)
{
    double mean[3], a[3][3] = {{0}}, v[3][3];
    add_near(mean, NULL, plane, points, stride, count, distance);
    add_near(mean, a, plane, points, stride, count, distance);
    sac_eigen(a, v);
    int least = 0, largest = 0;
    for (int i = 1; i < 3; i++)
        if (a[i][i] < a[least][least]) least = i;
    for (int d = 1; d < 3; d++)
        if (fabs(v[d][least]) > fabs(v[largest][least])) largest = d;
    sac_cloud_plane out = {.offset = 0};
    for (int d = 0; d < 3; d++)
    {
        out.normal[d] = v[largest][least] < 0 ? -v[d][least] : v[d][least];
        out.offset -= out.normal[d] * mean[d];
    }
    count_near(&out, points, stride, count, distance);
    return out;
}

sac_status sac_cloud_find_plane(sac_cloud_plane *out, const float *points, int stride, int count,
                                const sac_plane_search *search)
{
    memset(out, 0, sizeof *out);
    SAC_TRY(check(points, stride, count, search));
    const sac_cloud_plane best = try_planes(points, stride, count, search);
    if (best.count == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: no three of %d points that were drawn in %d trials span a plane",
                        count, search->trials);
    *out = refine(&best, points, stride, count, search->distance);
    return SAC_OK;
}
