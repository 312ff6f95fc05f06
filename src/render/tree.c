#include "render/tree.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

// What building the tree needs of a triangle: its box and its number.
typedef struct leaf
{
    float low[3], high[3];
    int triangle;
} leaf;

static void box_of(float low[3], float high[3], const leaf *leaves, int count)
{
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
        {
            low[k] = fminf(low[k], leaves[i].low[k]);
            high[k] = fmaxf(high[k], leaves[i].high[k]);
        }
}

static float middle(const leaf *l, int axis)
{
    return 0.5f * (l->low[axis] + l->high[axis]);
}

// Leaves with smaller middles come first. Numbers break ties, so the tree is the same everywhere.
static bool comes_before(const leaf *a, const leaf *b, int axis)
{
    float x = middle(a, axis), y = middle(b, axis);
    return x < y || (x == y && a->triangle < b->triangle);
}

// Hoare's selection: the leaves that come before the middle one are brought before it, in linear time on average.
static void split_at_half(leaf *leaves, int count, int axis)
{
    int low = 0, high = count - 1, half = count / 2;
    while (low < high)
    {
        leaf pivot = leaves[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j)
        {
            while (comes_before(&leaves[i], &pivot, axis)) i++;
            while (comes_before(&pivot, &leaves[j], axis)) j--;
            if (i > j) break;
            leaf swap = leaves[i];
            leaves[i++] = leaves[j];
            leaves[j--] = swap;
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

// --- where a box is best split: the surface area heuristic over bins (Wald 2007, On fast construction of SAH-based
// bounding volume hierarchies). A ray that passes a box passes a part of it as likely as the part's surface is large,
// so a split costs what its halves' triangles cost, each weighted by its half's surface.

enum
{
    BINS = 16, // along each axis, and half as many for few triangles
    FEW = 32,
    MEDIAN_FROM = 36 // depth from which on halves have equal counts, so that no tree is deeper than TREE_DEPTH
};

#define BOX_COST 1.2f // of passing a node, in triangles

typedef struct bin
{
    float low[3], high[3];
    int count;
} bin;

// A plane between bins, and what the tree costs with it.
typedef struct cut
{
    int axis, bins, bin;
    float start, scale; // middles to bins
    float cost;
} cut;

static float surface_of(const float low[3], const float high[3])
{
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
}

static int bin_of(const leaf *l, const cut *at)
{
    int b = (int)((middle(l, at->axis) - at->start) * at->scale);
    return b < 0 ? 0 : b < at->bins ? b : at->bins - 1;
}

static void add_box(bin *to, const float low[3], const float high[3], int count)
{
    for (int k = 0; k < 3; k++)
    {
        to->low[k] = fminf(to->low[k], low[k]);
        to->high[k] = fmaxf(to->high[k], high[k]);
    }
    to->count += count;
}

static const bin empty_bin = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

// Finds the cheapest plane between the bins along one axis, if it is cheaper than the best so far.
static void try_axis(cut *best, cut at, const leaf *leaves, int count)
{
    bin bins[BINS], left = empty_bin, right = empty_bin;
    float behind[BINS];
    for (int b = 0; b < at.bins; b++) bins[b] = empty_bin;
    for (int i = 0; i < count; i++) add_box(&bins[bin_of(&leaves[i], &at)], leaves[i].low, leaves[i].high, 1);
    for (int b = at.bins - 1; b > 0; b--)
    {
        add_box(&right, bins[b].low, bins[b].high, bins[b].count);
        behind[b] = right.count > 0 ? surface_of(right.low, right.high) * (float)right.count : INFINITY;
    }
    for (int b = 0; b < at.bins - 1; b++)
    {
        add_box(&left, bins[b].low, bins[b].high, bins[b].count);
        if (left.count == 0) continue;
        at.cost = surface_of(left.low, left.high) * (float)left.count + behind[b + 1];
        at.bin = b;
        if (at.cost < best->cost) *best = at;
    }
}

// The cheapest plane; its cost is infinite where all middles are in one place.
static cut find_cut(const leaf *leaves, int count)
{
    cut best = {.cost = INFINITY};
    int bins = count < FEW ? BINS / 2 : BINS;
    for (int axis = 0; axis < 3; axis++)
    {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++)
        {
            low = fminf(low, middle(&leaves[i], axis));
            high = fmaxf(high, middle(&leaves[i], axis));
        }
        float scale = (float)bins / (high - low);
        if (!(scale < 1e30f)) continue; // infinite, or flat
        try_axis(&best, (cut){.axis = axis, .bins = bins, .start = low, .scale = scale}, leaves, count);
    }
    return best;
}

// Brings the triangles before the plane to the front. Returns how many they are.
static int split_at(leaf *leaves, int count, const cut *at)
{
    int before = 0;
    for (int i = 0; i < count; i++)
    {
        if (bin_of(&leaves[i], at) > at->bin) continue;
        leaf swap = leaves[before];
        leaves[before++] = leaves[i];
        leaves[i] = swap;
    }
    return before;
}

// Splits along the longest side into halves of equal count.
static int split_evenly(const render_node *n, leaf *leaves, int count, int *axis)
{
    *axis = 0;
    for (int k = 1; k < 3; k++)
        if (n->high[k] - n->low[k] > n->high[*axis] - n->low[*axis]) *axis = k;
    split_at_half(leaves, count, *axis);
    return count / 2;
}

static void build(render_mesh *mesh, int node, leaf *leaves, int first, int count, int depth)
{
    render_node *n = &mesh->nodes[node];
    box_of(n->low, n->high, leaves + first, count);
    cut best = depth < MEDIAN_FROM && count > 1 ? find_cut(leaves + first, count) : (cut){.cost = INFINITY};
    float whole = surface_of(n->low, n->high);
    if (count <= TREE_LEAF && !(best.cost + BOX_COST * whole < (float)count * whole))
    {
        n->first = first;
        n->count = (int16_t)count;
        return;
    }
    int axis = best.axis, half;
    if (best.cost < INFINITY)
        half = split_at(leaves + first, count, &best);
    else
        half = split_evenly(n, leaves + first, count, &axis);
    n->axis = (int16_t)axis;
    n->count = 0;
    n->first = mesh->node_count;
    mesh->node_count += 2;
    int children = n->first;
    build(mesh, children, leaves, first, half, depth + 1);
    build(mesh, children + 1, leaves, first + half, count - half, depth + 1);
}

static void fill_leaves(leaf *leaves, const sac_mesh *mesh)
{
    for (int i = 0; i < mesh->triangle_count; i++)
    {
        const float *p = mesh->positions + (size_t)i * 9;
        leaves[i].triangle = i;
        for (int k = 0; k < 3; k++)
        {
            leaves[i].low[k] = fminf(p[k], fminf(p[3 + k], p[6 + k]));
            leaves[i].high[k] = fmaxf(p[k], fmaxf(p[3 + k], p[6 + k]));
        }
    }
}

sac_status sac_render_tree_build(render_mesh *out, const sac_mesh *mesh)
{
    leaf *leaves = sac_alloc_array((size_t)mesh->triangle_count, sizeof *leaves);
    if (!leaves) return sac_fail_memory("the tree of a mesh");
    fill_leaves(leaves, mesh);
    build(out, 0, leaves, 0, mesh->triangle_count, 0);
    for (int i = 0; i < mesh->triangle_count; i++) out->order[i] = leaves[i].triangle;
    sac_free(leaves);
    return SAC_OK;
}

// Children stand behind their parents.
void sac_render_tree_fit(render_mesh *mesh)
{
    for (int node = mesh->node_count - 1; node >= 0; node--)
    {
        render_node *n = &mesh->nodes[node];
        for (int k = 0; k < 3; k++) n->low[k] = INFINITY, n->high[k] = -INFINITY;
        for (int i = 0; n->count == 0 && i < 2; i++)
            for (int k = 0; k < 3; k++)
            {
                n->low[k] = fminf(n->low[k], mesh->nodes[n->first + i].low[k]);
                n->high[k] = fmaxf(n->high[k], mesh->nodes[n->first + i].high[k]);
            }
        for (int i = 0; i < n->count; i++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                {
                    n->low[k] = fminf(n->low[k], mesh->corners[n->first + i][c][k]);
                    n->high[k] = fmaxf(n->high[k], mesh->corners[n->first + i][c][k]);
                }
    }
}
