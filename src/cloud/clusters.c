#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"

/// Clusters. Points are put into cubes whose diagonal is at most the reach, so all points of a cube are in one cluster,
/// and what is left to find out is which cubes are connected. Only cubes that are at most two apart on each axis can
/// be.

enum
{
    HALF = 62 // of the 5 x 5 x 5 cubes around one: each pair of cubes is looked at once
};

typedef struct offset
{
    int x, y, z;
} offset;

// The half of the offsets that come after the cube itself, nearest first: cubes that are near are often connected, and
// connected ones need no second look.
static void list_offsets(offset out[HALF])
{
    int count = 0;
    for (int square = 1; square <= 12; square++)
        for (int z = 0; z <= 2; z++)
            for (int y = z > 0 ? -2 : 0; y <= 2; y++)
                for (int x = z > 0 || y > 0 ? -2 : 1; x <= 2; x++)
                    if (x * x + y * y + z * z == square) out[count++] = (offset){x, y, z};
    SAC_ASSERT(count == HALF);
}

// Put the points cube by cube, in their order; they take the place of sums.
static void sort_points(sac_cloud_memory *m, const float *points, int stride, int count)
{
    float *sorted = (float *)m->sums;
    for (int cube = 0, first = 0; cube < m->cubes; first += m->counts[cube++]) m->firsts[cube] = first;
    for (int i = 0; i < count; i++)
    {
        float *to = sorted + 3 * (ptrdiff_t)m->firsts[m->cube_of[i]]++;
        for (int d = 0; d < 3; d++) to[d] = points[d * (ptrdiff_t)stride + i];
    }
    for (int cube = 0; cube < m->cubes; cube++) m->firsts[cube] -= m->counts[cube];
}

static int root_of(int *roots, int cube)
{
    while (roots[cube] != cube) cube = roots[cube] = roots[roots[cube]];
    return cube;
}

static bool are_near(const sac_cloud_memory *m, int a, int b, float square)
{
    const float *sorted = (const float *)m->sums, *p = sorted + 3 * (ptrdiff_t)m->firsts[a];
    for (int i = 0; i < m->counts[a]; i++, p += 3)
    {
        const float *q = sorted + 3 * (ptrdiff_t)m->firsts[b];
        for (int j = 0; j < m->counts[b]; j++, q += 3)
        {
            const float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
            if (x * x + y * y + z * z <= square) return true;
        }
    }
    return false;
}

static void connect(sac_cloud_memory *m, float reach)
{
    offset offsets[HALF];
    list_offsets(offsets);
    for (int i = 0; i < m->cubes; i++) m->roots[i] = i;
    for (int o = 0; o < HALF; o++)
    {
        // keys are sums of their parts, so a neighbour's differs by a constant; one beyond the range is no cube's
        const uint64_t step = sac_cloud_key(offsets[o].x, offsets[o].y, offsets[o].z) - sac_cloud_key(0, 0, 0);
        for (int cube = 0; cube < m->cubes; cube++)
        {
            const int other = sac_cloud_find(m, m->places[cube] + step);
            if (other < 0) continue;
            const int a = root_of(m->roots, cube), b = root_of(m->roots, other);
            if (a == b || !are_near(m, cube, other, reach * reach)) continue;
            m->roots[a > b ? a : b] = a < b ? a : b;
        }
    }
}

static void sift_down(uint64_t *heap, int at, int count)
{
    for (int child; (child = 2 * at + 1) < count; at = child)
    {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) return;
        const uint64_t larger = heap[child];
        heap[child] = heap[at], heap[at] = larger;
    }
}

// Heapsort, because qsort may allocate.
static void sort(uint64_t *numbers, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(numbers, i, count);
    for (int last = count - 1; last > 0; last--)
    {
        const uint64_t largest = numbers[0];
        numbers[0] = numbers[last], numbers[last] = largest;
        sift_down(numbers, 0, last);
    }
}

// Number the clusters that are neither too small nor too large; sizes become the indices of clusters.
static int number_clusters(sac_cloud_memory *m, int count, int least, int most)
{
    int clusters = 0;
    memset(m->sizes, 0, (size_t)m->cubes * sizeof *m->sizes);
    for (int cube = 0; cube < m->cubes; cube++) m->sizes[root_of(m->roots, cube)] += m->counts[cube];
    // largest first, and of equal ones that of the earlier point
    for (int i = 0; i < count; i++)
    {
        const int root = root_of(m->roots, (int)m->cube_of[i]), size = m->sizes[root];
        if (size > 0 && size >= least && size <= most)
            m->order[clusters++] = (uint64_t)(INT32_MAX - size) << 32 | (uint32_t)i;
        m->sizes[root] = -1;
    }
    sort(m->order, clusters);
    for (int i = 0; i < clusters; i++) m->sizes[root_of(m->roots, (int)m->cube_of[(uint32_t)m->order[i]])] = i;
    return clusters;
}

sac_status sac_cloud_clusters(sac_cloud_memory *memory, int *labels, int *out_count, const float *points, int stride,
                              int count, float reach, int least, int most)
{
    *out_count = 0;
    // cubes are at least half a reach wide, so a reach of them is within the range where half of one is
    SAC_TRY(sac_cloud_check(memory, points, stride, count, reach / 2, "clusters within reach"));
    // 0.577 < 1 / sqrt(3), by more than the rounding of doubles
    sac_cloud_fill(memory, points, stride, count, 1 / (0.577 * (double)reach), true);
    sac_cloud_list(memory);
    sort_points(memory, points, stride, count);
    connect(memory, reach);
    *out_count = number_clusters(memory, count, least, most);
    for (int i = 0; i < count; i++) labels[i] = memory->sizes[root_of(memory->roots, (int)memory->cube_of[i])];
    return SAC_OK;
}
