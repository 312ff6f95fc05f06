#pragma once

#include "render/frame.h"
#include "render/lanes.h"

/// Where rays meet solids. Included by draw.c, once a CPU level.

/// What the sixteen rays of a packet have met so far.
typedef struct meeting
{
    lanes t;              ///< distance along the view
    words solid;          ///< number; -1: nothing
    int32_t triangle[16]; ///< where the solid is a mesh
} meeting;

LANES lanes fan_lane(const float rows[3][3], int k, lanes x, lanes y)
{
    return lanes_add(lanes_add(lanes_set(rows[0][k]), lanes_mul(x, lanes_set(rows[1][k]))),
                     lanes_mul(y, lanes_set(rows[2][k])));
}
LANES lanes3 fan_lanes(const float rows[3][3], lanes x, lanes y)
{
    return (lanes3){fan_lane(rows, 0, x, y), fan_lane(rows, 1, x, y), fan_lane(rows, 2, x, y)};
}

// Replaces divisors near zero, so that no division fails.
LANES lanes not_zero(lanes x)
{
    return lanes_choose(lanes_less(lanes_abs(x), lanes_set(1e-20f)), lanes_set(1e-20f), x);
}

/// Where a ray enters and leaves; `hit` where it does.
typedef struct span
{
    lanes enter, leave;
    mask hit;
} span;

// a t^2 + 2 b t + c = 0
// Both roots of a t^2 + 2 b t + c: where a ray enters a round solid and where it leaves. A negative discriminant, where
// the ray passes by, gives NaN in lanes that `hit` leaves out. A ray along an endless wall (a = 0) is as one that is
// hardly aslant: it meets the wall far away, or passes by where it is outside.
INLINED span quadratic(lanes a, lanes b, lanes c)
{
    a = lanes_max(a, lanes_set(1e-20f));
    lanes square = lanes_sub(lanes_mul(b, b), lanes_mul(a, c)), spread = lanes_sqrt(square);
    return (span){lanes_div(lanes_sub(lanes_minus(b), spread), a), lanes_div(lanes_sub(spread, b), a),
                  lanes_at_most(lanes_set(0.0f), square)};
}

// |p + t d|^2 = 1: round solids are drawn in coordinates in which their radius is 1
INLINED span meet_sphere(lanes3 p, lanes3 d)
{
    return quadratic(dot(d, d), dot(p, d), lanes_sub(dot(p, p), lanes_set(1.0f)));
}

// -h <= z <= h
INLINED span meet_slab(lanes p, lanes d, float h)
{
    lanes inverse = lanes_div(lanes_set(1.0f), not_zero(d));
    lanes a = lanes_mul(lanes_sub(lanes_set(-h), p), inverse), b = lanes_mul(lanes_sub(lanes_set(h), p), inverse);
    return (span){lanes_min(a, b), lanes_max(a, b), mask_from_bits(0xffff)};
}

// Meets the endless round wall of radius 1 along z.
INLINED span meet_wall(lanes3 p, lanes3 d)
{
    lanes a = lanes_add(lanes_mul(d.x, d.x), lanes_mul(d.y, d.y)),
          b = lanes_add(lanes_mul(p.x, d.x), lanes_mul(p.y, d.y));
    return quadratic(a, b, lanes_sub(lanes_add(lanes_mul(p.x, p.x), lanes_mul(p.y, p.y)), lanes_set(1.0f)));
}

INLINED span meet_capsule(lanes3 p, lanes3 d, float h, bool whole_span)
{
    span wall = meet_wall(p, d);
    if (!mask_any(wall.hit)) return wall;
    // A ray that enters or leaves the wall beyond an end does so through that end's sphere instead.
    span out = wall;
    lanes *ends[2] = {&out.enter, &out.leave};
    for (int i = 0; i < (whole_span ? 2 : 1); i++)
    {
        lanes z = lanes_add(p.z, lanes_mul(*ends[i], d.z));
        mask inside = lanes_at_most(lanes_abs(z), lanes_set(h));
        if ((mask_bits(inside) | ~mask_bits(wall.hit)) == ~0u) continue;
        lanes3 from = p;
        from.z = lanes_sub(p.z, lanes_choose(lanes_less(lanes_set(0.0f), z), lanes_set(h), lanes_set(-h)));
        span cap = meet_sphere(from, d);
        *ends[i] = lanes_choose(inside, *ends[i], i ? cap.leave : cap.enter);
        if (i == 0) out.hit = mask_and(out.hit, mask_or(inside, cap.hit));
    }
    return out;
}

// inside where the ray is within the wall and between the caps
INLINED span meet_cylinder(lanes3 p, lanes3 d, float h)
{
    span wall = meet_wall(p, d), slab = meet_slab(p.z, d.z, h);
    lanes enter = lanes_max(wall.enter, slab.enter), leave = lanes_min(wall.leave, slab.leave);
    return (span){enter, leave, mask_and(wall.hit, lanes_at_most(enter, leave))};
}

// The slab method (Kay and Kajiya 1986): a ray is inside where it is between all three pairs of planes.
INLINED span meet_box(lanes3 p, lanes3 d, const float size[3])
{
    span x = meet_slab(p.x, d.x, size[0]), y = meet_slab(p.y, d.y, size[1]), z = meet_slab(p.z, d.z, size[2]);
    lanes enter = lanes_max(lanes_max(x.enter, y.enter), z.enter),
          leave = lanes_min(lanes_min(x.leave, y.leave), z.leave);
    return (span){enter, leave, lanes_at_most(enter, leave)};
}

// Tells whether (x, y) is on the plane and the ray comes from the side that is seen.
INLINED mask is_on_plane(lanes x, lanes y, lanes slope, const float size[2], bool from_below, bool both_sides)
{
    mask hit =
        mask_and(lanes_at_most(lanes_abs(x), lanes_set(size[0])), lanes_at_most(lanes_abs(y), lanes_set(size[1])));
    if (both_sides) return hit;
    return mask_and(hit, from_below ? lanes_less(lanes_set(0.0f), slope) : lanes_less(slope, lanes_set(0.0f)));
}

INLINED span meet_plane(lanes3 p, lanes3 d, const float size[2], bool from_below, bool both_sides)
{
    lanes t = lanes_div(lanes_minus(p.z), not_zero(d.z));
    lanes x = lanes_add(p.x, lanes_mul(t, d.x)), y = lanes_add(p.y, lanes_mul(t, d.y));
    return (span){t, t, is_on_plane(x, y, d.z, size, from_below, both_sides)};
}

/// The solid's convex shape; meshes are not one.
INLINED span meet_solid(const solid *s, lanes3 p, lanes3 d, bool both_sides)
{
    switch (s->shape)
    {
    case SAC_SHAPE_PLANE: return meet_plane(p, d, s->size, s->behind, both_sides);
    case SAC_SHAPE_CAPSULE: return meet_capsule(p, d, s->size[1], both_sides);
    case SAC_SHAPE_CYLINDER: return meet_cylinder(p, d, s->size[1]);
    case SAC_SHAPE_BOX: return meet_box(p, d, s->size);
    default: return meet_sphere(p, d);
    }
}

// --- meshes

/// Rays through a tree: all from one point, or all along one direction.
typedef struct tree_rays
{
    lanes3 p, d;
    bool parallel;
    bool both_sides;
    float still[3]; ///< the point, or the direction
} tree_rays;

/// The nearest triangle so far.
typedef struct tree_hit
{
    lanes t;
    mask hit;
    words triangle;
} tree_hit;

static inline void cross3(float out[3], const float a[3], const float b[3])
{
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}
static inline float dot_floats(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The normal of a triangle, twice as long as its area.
static inline void triangle_normal(float out[3], const float c[3][3])
{
    float e[3], f[3];
    for (int i = 0; i < 3; i++) e[i] = c[1][i] - c[0][i], f[i] = c[2][i] - c[0][i];
    cross3(out, e, f);
}

// Tells on which side of the line a-b each ray passes. A neighbour that has the edge as b-a gets exactly the negative,
// so no ray slips through between two triangles.
INLINED lanes pass_edge(const tree_rays *r, const float a[3], const float b[3])
{
    float m[3], k = 0;
    if (r->parallel)
    {
        float way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, area[3];
        cross3(m, r->still, way);
        cross3(area, a, b);
        k = dot_floats(r->still, area);
        lanes3 v = fill3(m);
        return lanes_sub(lanes_set(k), dot(r->p, v));
    }
    float from[3], to[3];
    for (int i = 0; i < 3; i++) from[i] = a[i] - r->still[i], to[i] = b[i] - r->still[i];
    cross3(m, from, to);
    return dot(r->d, fill3(m));
}

// The signs of the ray against the three edges say whether it passes the triangle (Pluecker coordinates); the distance
// follows from the triangle's plane.
INLINED void meet_triangle(tree_hit *best, const tree_rays *r, const float c[3][3], int number, lanes near)
{
    lanes u = pass_edge(r, c[2], c[1]), v = pass_edge(r, c[0], c[2]), w = pass_edge(r, c[1], c[0]);
    lanes zero = lanes_set(0.0f);
    mask in = mask_and(mask_and(lanes_at_most(zero, u), lanes_at_most(zero, v)), lanes_at_most(zero, w));
    if (r->both_sides)
        in = mask_or(in, mask_and(mask_and(lanes_at_most(u, zero), lanes_at_most(v, zero)), lanes_at_most(w, zero)));
    if (!mask_any(in)) return;
    float n[3];
    triangle_normal(n, c);
    lanes3 normal = fill3(n), to_corner = {lanes_sub(lanes_set(c[0][0]), r->p.x), lanes_sub(lanes_set(c[0][1]), r->p.y),
                                           lanes_sub(lanes_set(c[0][2]), r->p.z)};
    // t from n . (p + t d - c0) = 0
    lanes slope = dot(normal, r->d), t = lanes_div(dot(normal, to_corner), slope);
    in = mask_and(in, mask_and(lanes_at_most(near, t), lanes_less(t, best->t)));
    in = mask_and(in,
                  r->both_sides ? mask_or(lanes_less(slope, zero), lanes_less(zero, slope)) : lanes_less(slope, zero));
    best->t = lanes_choose(in, t, best->t);
    best->triangle = words_choose(in, words_set(number), best->triangle);
    best->hit = mask_or(best->hit, in);
}

// Finds which of the rays pass a box before they meet something else.
INLINED mask pass_box(const render_node *n, lanes3 p, lanes3 inverse, lanes near, lanes far)
{
    lanes a = lanes_mul(lanes_sub(lanes_set(n->low[0]), p.x), inverse.x),
          b = lanes_mul(lanes_sub(lanes_set(n->high[0]), p.x), inverse.x);
    lanes enter = lanes_min(a, b), leave = lanes_max(a, b);
    a = lanes_mul(lanes_sub(lanes_set(n->low[1]), p.y), inverse.y),
    b = lanes_mul(lanes_sub(lanes_set(n->high[1]), p.y), inverse.y);
    enter = lanes_max(enter, lanes_min(a, b)), leave = lanes_min(leave, lanes_max(a, b));
    a = lanes_mul(lanes_sub(lanes_set(n->low[2]), p.z), inverse.z),
    b = lanes_mul(lanes_sub(lanes_set(n->high[2]), p.z), inverse.z);
    enter = lanes_max(enter, lanes_min(a, b)), leave = lanes_min(leave, lanes_max(a, b));
    // Boxes may be flat. The slack keeps rounding from making rays miss them.
    lanes slack = lanes_mul(lanes_abs(leave), lanes_set(1e-6f));
    return mask_and(lanes_at_most(enter, lanes_add(leave, slack)),
                    mask_and(lanes_at_most(near, lanes_add(leave, slack)), lanes_at_most(enter, far)));
}

// The rays of a packet walk the tree of boxes together, as long as one of them passes the box. The child that the first
// ray reaches earlier is taken first, so that later boxes are beyond what was met.
static void meet_mesh(tree_hit *best, const render_mesh *mesh, const tree_rays *r, lanes near, mask live)
{
    lanes one = lanes_set(1.0f);
    lanes3 inverse = {lanes_div(one, not_zero(r->d.x)), lanes_div(one, not_zero(r->d.y)),
                      lanes_div(one, not_zero(r->d.z))};
    float way[3][16];
    lanes_store(way[0], r->d.x), lanes_store(way[1], r->d.y), lanes_store(way[2], r->d.z);
    int first_lane = mask_any(live) ? __builtin_ctz(mask_bits(live)) : 0;
    int stack[TREE_DEPTH], count = 0;
    stack[count++] = 0;
    while (count > 0)
    {
        const render_node *n = &mesh->nodes[stack[--count]];
        if (!mask_any(mask_and(live, pass_box(n, r->p, inverse, near, best->t)))) continue;
        if (n->count == 0)
        {
            int far_child = way[n->axis][first_lane] > 0.0f;
            stack[count++] = n->first + far_child;
            stack[count++] = n->first + !far_child;
            continue;
        }
        for (int i = 0; i < n->count; i++)
            meet_triangle(best, r, (const float(*)[3])mesh->corners[n->first + i], n->first + i, near);
    }
}

// --- lines, which are as wide in the picture however far they are

// A line runs mostly along x or along y, and its width is counted along the other.
INLINED span meet_line(const solid *s, lanes x, lanes y, float width, bool parallel)
{
    const float *a = s->thread[0], *b = s->thread[1];
    float dx = b[0] - a[0], dy = b[1] - a[1];
    bool steep = fabsf(dy) > fabsf(dx);
    float way = steep ? dy : dx, slope = way != 0.0f ? (steep ? dx : dy) / way : 0.0f;
    lanes right = lanes_sub(x, lanes_set(a[0])), down = lanes_sub(y, lanes_set(a[1]));
    lanes from = steep ? down : right, beside = steep ? right : down;
    lanes share = lanes_mul(from, lanes_set(way != 0.0f ? 1.0f / way : 0.0f));
    mask hit = mask_and(lanes_at_most(lanes_set(0.0f), share), lanes_at_most(share, lanes_set(1.0f)));
    hit = mask_and(
        hit, lanes_at_most(lanes_abs(lanes_sub(beside, lanes_mul(from, lanes_set(slope)))), lanes_set(0.5f * width)));
    float first = parallel ? s->thread_depth[0] : 1.0f / s->thread_depth[0];
    float second = parallel ? s->thread_depth[1] : 1.0f / s->thread_depth[1];
    // along a line in a perspective picture not the depth is linear, but one over it
    lanes t = lanes_add(lanes_set(first), lanes_mul(share, lanes_set(second - first)));
    if (!parallel) t = lanes_div(lanes_set(1.0f), not_zero(t));
    return (span){t, t, hit};
}

// --- the view's rays

/// Look whether the solid is nearer than what was met.
static void look_at(meeting *met, const sac_renderer *r, int number, const render_fan *fan, lanes x, lanes y,
                    lanes near, mask live)
{
    const solid *s = &r->solids[number];
    lanes3 p = fan_lanes(fan->p, x, y), d = fan_lanes(fan->d, x, y);
    if (s->shape == SAC_SHAPE_MESH)
    {
        tree_rays rays = {p, d, r->scene->view.orthographic, false, {0, 0, 0}};
        for (int k = 0; k < 3; k++) rays.still[k] = rays.parallel ? fan->d[0][k] : fan->p[0][k];
        tree_hit best = {met->t, mask_from_bits(0), words_load(met->triangle)};
        meet_mesh(&best, s->mesh, &rays, near, live);
        met->t = best.t;
        words_store(met->triangle, best.triangle);
        met->solid = words_choose(best.hit, words_set(number), met->solid);
        return;
    }
    span at = s->shape == SAC_SHAPE_LINE ? meet_line(s, x, y, s->size[0], r->scene->view.orthographic)
                                         : meet_solid(s, p, d, false);
    lanes t = lanes_add(at.enter, lanes_set(fan->shift));
    mask nearer = mask_and(at.hit, mask_and(lanes_at_most(near, t), lanes_less(t, met->t)));
    met->t = lanes_choose(nearer, t, met->t);
    met->solid = words_choose(nearer, words_set(number), met->solid);
}
