#include "cloud/loops.h"

// Metres of a strip of pixels; 0 where a pixel is not valid, as sac_depth_points has it.
static void read_strip(float *metres, const sac_cloud_row *r, int first, int count)
{
    const unsigned char *line = (const unsigned char *)r->depth->pixels + r->row * r->depth->row_stride;
    const int step = r->step;
    if (r->depth->format == SAC_DEPTH_METRES)
    {
        const float *from = (const float *)(const void *)line + (ptrdiff_t)first * step;
        if (step == 1)
            for (int i = 0; i < count; i++) metres[i] = from[i];
        else
            for (int i = 0; i < count; i++) metres[i] = from[i * step];
        return;
    }
    const uint16_t *from = (const uint16_t *)(const void *)line + (ptrdiff_t)first * step;
    for (int i = 0; i < count; i++) metres[i] = (float)from[i * step] / 1000.0f;
}

static inline int is_within(float x, float y, float z, const sac_bounds *b)
{
    return (x >= b->least[0]) & (x <= b->most[0]) & (y >= b->least[1]) & (y <= b->most[1]) & (z >= b->least[2]) &
           (z <= b->most[2]);
}

static void project(float *points, int *valid, const sac_cloud_row *r, int first, int count)
{
    float metres[SAC_CLOUD_STRIP];
    float *x = points, *y = points + SAC_CLOUD_STRIP, *z = points + 2 * SAC_CLOUD_STRIP;
    const float least = r->depth->least, most = r->depth->most;
    const sac_bounds bounds = *r->bounds;
    const sac_cloud_row row = *r; // a copy, which no store can change
    read_strip(metres, r, first, count);
    for (int i = 0; i < count; i++)
    {
        // R (u, v, 1) depth + t, where (u, v) is where the pixel's ray meets the plane at distance 1
        const float u = (float)((first + i) * row.step) * row.focal - row.center, depth = metres[i];
        x[i] = (row.along[0] * u + row.base[0]) * depth + row.position[0];
        y[i] = (row.along[1] * u + row.base[1]) * depth + row.position[1];
        z[i] = (row.along[2] * u + row.base[2]) * depth + row.position[2];
        valid[i] = (depth > 0) & (depth >= least) & (depth <= most) & is_within(x[i], y[i], z[i], &bounds);
    }
}

static void within(int *valid, const float *x, const float *y, const float *z, const sac_bounds *bounds, int count)
{
    const sac_bounds b = *bounds;
    for (int i = 0; i < count; i++) valid[i] = is_within(x[i], y[i], z[i], &b);
}

static inline float distance_to(const float plane[4], float x, float y, float z)
{
    const float d = plane[0] * x + plane[1] * y + plane[2] * z + plane[3];
    return d < 0 ? -d : d;
}

static void beyond(int *valid, const float *x, const float *y, const float *z, const float plane[4], float distance,
                   int count)
{
    const float p[4] = {plane[0], plane[1], plane[2], plane[3]};
    for (int i = 0; i < count; i++) valid[i] = distance_to(p, x[i], y[i], z[i]) > distance;
}

static int count_near(const float *x, const float *y, const float *z, const float plane[4], float distance, int count)
{
    const float p[4] = {plane[0], plane[1], plane[2], plane[3]};
    int near = 0;
    for (int i = 0; i < count; i++) near += distance_to(p, x[i], y[i], z[i]) <= distance;
    return near;
}

static int count_broken(const float *x, const float *y, const float *z, int count)
{
    int broken = 0;
    // x - x is 0 where x is finite, and not a number elsewhere
    for (int i = 0; i < count; i++) broken += !((x[i] - x[i]) + (y[i] - y[i]) + (z[i] - z[i]) == 0);
    return broken;
}

// Truncation, less 1 where that went up: floor itself is a call where a level has no instruction for it.
static void floors(int *out, const float *x, float inverse, int count)
{
    for (int i = 0; i < count; i++)
    {
        const float at = x[i] * inverse;
        const int whole = (int)at;
        out[i] = whole - (at < (float)whole);
    }
}

static void floors_exactly(int *out, const float *x, double inverse, int count)
{
    for (int i = 0; i < count; i++)
    {
        const double at = (double)x[i] * inverse;
        const int whole = (int)at;
        out[i] = whole - (at < whole);
    }
}

static int number(int *starts, const uint64_t *words, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
    {
        starts[i] = all;
        all += __builtin_popcountll(words[i]);
    }
    return all;
}

static void look_up(uint32_t *bits, int *counts, const uint64_t *words, const int *starts, int count)
{
    for (int i = 0; i < count; i++)
    {
        const uint32_t word = bits[i] >> 6;
        const uint64_t before = ((uint64_t)1 << (bits[i] & 63)) - 1;
        bits[i] = (uint32_t)(starts[word] + __builtin_popcountll(words[word] & before));
        counts[bits[i]]++;
    }
}

const sac_cloud_loops SAC_LEVEL_NAME(sac_cloud_loops) = {.project = project,
                                                         .within = within,
                                                         .beyond = beyond,
                                                         .count_near = count_near,
                                                         .count_broken = count_broken,
                                                         .floors = floors,
                                                         .floors_exactly = floors_exactly,
                                                         .number = number,
                                                         .look_up = look_up};
