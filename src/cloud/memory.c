#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "cloud/cloud.h"

/// The memory of clouds, and what is checked of points before they are put into a grid.

enum
{
    MOST_POINTS = 1 << 22 // a block and a bit in it are 31 bits
};

static sac_status take(sac_cloud_memory *m)
{
    const size_t n = (size_t)m->max_points;
    while ((1u << m->table_bits) < 2 * n) m->table_bits++;
    m->table = SAC_NEW_ARRAY(sac_cloud_entry, (size_t)1 << m->table_bits);
    m->keys = SAC_NEW_ARRAY(uint64_t, n);
    m->bits = SAC_NEW_MATRIX(uint64_t, n, SAC_CLOUD_WORDS);
    m->starts = SAC_NEW_MATRIX(int, n, SAC_CLOUD_WORDS);
    m->cube_of = SAC_NEW_ARRAY(uint32_t, n);
    m->counts = SAC_NEW_ARRAY(int, n);
    m->sums = SAC_NEW_MATRIX(double, n, 3);
    m->firsts = SAC_NEW_ARRAY(int, n);
    m->roots = SAC_NEW_ARRAY(int, n);
    m->sizes = SAC_NEW_ARRAY(int, n);
    m->places = SAC_NEW_ARRAY(uint64_t, n);
    m->order = SAC_NEW_ARRAY(uint64_t, n);
    const bool all = m->table && m->keys && m->bits && m->starts && m->cube_of && m->counts && m->sums && m->firsts &&
                     m->roots && m->sizes && m->places && m->order;
    return all ? SAC_OK : sac_fail_memory("a cloud's memory");
}

sac_status sac_cloud_memory_create(sac_cloud_memory **out, int max_points)
{
    *out = NULL;
    if (max_points < 1 || max_points > MOST_POINTS)
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: max_points is %d, expected 1 to %d", max_points, MOST_POINTS);
    sac_cloud_memory *m = SAC_NEW(sac_cloud_memory);
    if (!m) return sac_fail_memory("a cloud's memory");
    m->max_points = max_points;
    m->table_bits = 1;
    const sac_status status = take(m);
    if (status == SAC_OK)
        *out = m;
    else
        sac_cloud_memory_destroy(m);
    return status;
}

void sac_cloud_memory_destroy(sac_cloud_memory *memory)
{
    if (!memory) return;
    void *const arrays[] = {memory->table,   memory->keys,   memory->bits,   memory->starts,
                            memory->cube_of, memory->counts, memory->sums,   memory->firsts,
                            memory->roots,   memory->sizes,  memory->places, memory->order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sac_free(arrays[i]);
    sac_free(memory);
}

static int first_broken(const float *points, int stride, int count)
{
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            if (!isfinite(points[d * (ptrdiff_t)stride + i])) return i;
    return -1;
}

sac_status sac_cloud_check_finite(const float *points, int stride, int count, const char *what)
{
    const float *y = points + stride, *z = y + stride;
    if (SAC_AT_LEVEL(&sac_cloud_loops)->count_broken(points, y, z, count) == 0) return SAC_OK;
    const int i = first_broken(points, stride, count);
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "cloud: point %d is (%g, %g, %g); %s needs finite numbers, which sac_cloud_pass "
                    "leaves",
                    i, (double)points[i], (double)y[i], (double)z[i], what);
}

static sac_status check_far(const float *points, int stride, int count, float side, const char *what)
{
    const float most = side * (float)(1 << 20);
    const sac_bounds bounds = {{-most, -most, -most}, {most, most, most}};
    int valid[SAC_CLOUD_STRIP];
    for (int first = 0; first < count; first += SAC_CLOUD_STRIP)
    {
        const int some = count - first < SAC_CLOUD_STRIP ? count - first : SAC_CLOUD_STRIP;
        const float *x = points + first, *y = x + stride, *z = y + stride;
        SAC_AT_LEVEL(&sac_cloud_loops)->within(valid, x, y, z, &bounds, some);
        for (int i = 0; i < some; i++)
            if (!valid[i])
                return sac_fail(SAC_ERROR_ARGUMENT,
                                "cloud: point %d is (%g, %g, %g), expected less than 2^20 cubes of %g m from the "
                                "origin for %s",
                                first + i, (double)x[i], (double)y[i], (double)z[i], (double)side, what);
    }
    return SAC_OK;
}

sac_status sac_cloud_check(const sac_cloud_memory *memory, const float *points, int stride, int count, float side,
                           const char *what)
{
    SAC_ASSERT(count >= 0 && stride >= count);
    if (!(side > 0) || !isfinite(side))
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: %s of %g m, expected more than 0", what, (double)side);
    if (count > memory->max_points)
        return sac_fail(SAC_ERROR_ARGUMENT, "cloud: %d points for %s, but the memory was made for %d", count, what,
                        memory->max_points);
    SAC_TRY(sac_cloud_check_finite(points, stride, count, what));
    // a little less, so that rounding passes no end of the keys' range
    return check_far(points, stride, count, side * 0.999f, what);
}
