#pragma once

#include "render/frame.h"
#include "render/lanes.h"

/// Where rays meet solids. Included by draw.c, once a CPU level.

/// What the sixteen rays of a packet have met so far.
typedef struct meeting
{
    lanes t;              ///< distance along the view
    ints solid;           ///< number; -1: nothing
    int32_t triangle[16]; ///< where the solid is a mesh
} meeting;

LANES lanes fan_lane(const float rows[3][3], int k, lanes x, lanes y)
{
    return add(add(fill(rows[0][k]), mul(x, fill(rows[1][k]))), mul(y, fill(rows[2][k])));
}
LANES lanes3 fan_lanes(const float rows[3][3], lanes x, lanes y)
{
    return (lanes3){fan_lane(rows, 0, x, y), fan_lane(rows, 1, x, y), fan_lane(rows, 2, x, y)};
}

// no zero among divisors
LANES lanes not_zero(lanes x)
{
    return choose(below(magnitude(x), fill(1e-20f)), fill(1e-20f), x);
}

/// Where a ray enters and leaves; `hit` where it does.
typedef struct span
{
    lanes enter, leave;
    mask hit;
} span;

// a t^2 + 2 b t + c = 0
INLINED span quadratic(lanes a, lanes b, lanes c)
{
    lanes square = sub(mul(b, b), mul(a, c)), spread = root(square);
    a = most(a, fill(1e-20f));
    return (span){quotient(sub(negative(b), spread), a), quotient(sub(spread, b), a), at_most(fill(0.0f), square)};
}

INLINED span meet_sphere(lanes3 p, lanes3 d)
{
    return quadratic(dot(d, d), dot(p, d), sub(dot(p, p), fill(1.0f)));
}

// -h <= z <= h
INLINED span meet_slab(lanes p, lanes d, float h)
{
    lanes inverse = quotient(fill(1.0f), not_zero(d));
    lanes a = mul(sub(fill(-h), p), inverse), b = mul(sub(fill(h), p), inverse);
    return (span){least(a, b), most(a, b), from_bits(0xffff)};
}

// the endless round wall along z
INLINED span meet_wall(lanes3 p, lanes3 d)
{
    lanes a = add(mul(d.x, d.x), mul(d.y, d.y)), b = add(mul(p.x, d.x), mul(p.y, d.y));
    return quadratic(a, b, sub(add(mul(p.x, p.x), mul(p.y, p.y)), fill(1.0f)));
}

INLINED span meet_capsule(lanes3 p, lanes3 d, float h, bool whole_span)
{
    span wall = meet_wall(p, d);
    if (!any(wall.hit)) return wall;
    // where the wall is entered or left beyond an end, that end's sphere is
    span out = wall;
    lanes *ends[2] = {&out.enter, &out.leave};
    for (int i = 0; i < (whole_span ? 2 : 1); i++)
    {
        lanes z = add(p.z, mul(*ends[i], d.z));
        mask inside = at_most(magnitude(z), fill(h));
        if ((bits(inside) | ~bits(wall.hit)) == ~0u) continue;
        lanes3 from = p;
        from.z = sub(p.z, choose(below(fill(0.0f), z), fill(h), fill(-h)));
        span cap = meet_sphere(from, d);
        *ends[i] = choose(inside, *ends[i], i ? cap.leave : cap.enter);
        if (i == 0) out.hit = both(out.hit, either(inside, cap.hit));
    }
    return out;
}

INLINED span meet_cylinder(lanes3 p, lanes3 d, float h)
{
    span wall = meet_wall(p, d), slab = meet_slab(p.z, d.z, h);
    lanes enter = most(wall.enter, slab.enter), leave = least(wall.leave, slab.leave);
    return (span){enter, leave, both(wall.hit, at_most(enter, leave))};
}

INLINED span meet_box(lanes3 p, lanes3 d, const float size[3])
{
    span x = meet_slab(p.x, d.x, size[0]), y = meet_slab(p.y, d.y, size[1]), z = meet_slab(p.z, d.z, size[2]);
    lanes enter = most(most(x.enter, y.enter), z.enter), leave = least(least(x.leave, y.leave), z.leave);
    return (span){enter, leave, at_most(enter, leave)};
}

// whether (x, y) is on the plane, and the ray comes from the side that is seen
INLINED mask is_on_plane(lanes x, lanes y, lanes slope, const float size[2], bool from_below, bool both_sides)
{
    mask hit = both(at_most(magnitude(x), fill(size[0])), at_most(magnitude(y), fill(size[1])));
    if (both_sides) return hit;
    return both(hit, from_below ? below(fill(0.0f), slope) : below(slope, fill(0.0f)));
}

INLINED span meet_plane(lanes3 p, lanes3 d, const float size[2], bool from_below, bool both_sides)
{
    lanes t = quotient(negative(p.z), not_zero(d.z));
    lanes x = add(p.x, mul(t, d.x)), y = add(p.y, mul(t, d.y));
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
    ints triangle;
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

// on which side of the line a-b each ray passes. A neighbour that has the edge as b-a gets exactly the negative, so no
// ray slips through between two triangles
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
        return sub(fill(k), dot(r->p, v));
    }
    float from[3], to[3];
    for (int i = 0; i < 3; i++) from[i] = a[i] - r->still[i], to[i] = b[i] - r->still[i];
    cross3(m, from, to);
    return dot(r->d, fill3(m));
}

INLINED void meet_triangle(tree_hit *best, const tree_rays *r, const float c[3][3], int number, lanes near)
{
    lanes u = pass_edge(r, c[2], c[1]), v = pass_edge(r, c[0], c[2]), w = pass_edge(r, c[1], c[0]);
    lanes zero = fill(0.0f);
    mask in = both(both(at_most(zero, u), at_most(zero, v)), at_most(zero, w));
    if (r->both_sides) in = either(in, both(both(at_most(u, zero), at_most(v, zero)), at_most(w, zero)));
    if (!any(in)) return;
    float e[3], f[3], n[3];
    for (int i = 0; i < 3; i++) e[i] = c[1][i] - c[0][i], f[i] = c[2][i] - c[0][i];
    cross3(n, e, f);
    lanes3 normal = fill3(n),
           to_corner = {sub(fill(c[0][0]), r->p.x), sub(fill(c[0][1]), r->p.y), sub(fill(c[0][2]), r->p.z)};
    lanes slope = dot(normal, r->d), t = quotient(dot(normal, to_corner), slope);
    in = both(in, both(at_most(near, t), below(t, best->t)));
    in = both(in, r->both_sides ? either(below(slope, zero), below(zero, slope)) : below(slope, zero));
    best->t = choose(in, t, best->t);
    best->triangle = int_choose(in, int_fill(number), best->triangle);
    best->hit = either(best->hit, in);
}

// which of the rays pass a box before they meet something else
INLINED mask pass_box(const render_node *n, lanes3 p, lanes3 inverse, lanes near, lanes far)
{
    lanes a = mul(sub(fill(n->low[0]), p.x), inverse.x), b = mul(sub(fill(n->high[0]), p.x), inverse.x);
    lanes enter = least(a, b), leave = most(a, b);
    a = mul(sub(fill(n->low[1]), p.y), inverse.y), b = mul(sub(fill(n->high[1]), p.y), inverse.y);
    enter = most(enter, least(a, b)), leave = least(leave, most(a, b));
    a = mul(sub(fill(n->low[2]), p.z), inverse.z), b = mul(sub(fill(n->high[2]), p.z), inverse.z);
    enter = most(enter, least(a, b)), leave = least(leave, most(a, b));
    // boxes may be flat: let rounding not make them missed
    lanes slack = mul(magnitude(leave), fill(1e-6f));
    return both(at_most(enter, add(leave, slack)), both(at_most(near, add(leave, slack)), at_most(enter, far)));
}

static void meet_mesh(tree_hit *best, const render_mesh *mesh, const tree_rays *r, lanes near, mask live)
{
    lanes one = fill(1.0f);
    lanes3 inverse = {quotient(one, not_zero(r->d.x)), quotient(one, not_zero(r->d.y)),
                      quotient(one, not_zero(r->d.z))};
    float way[3][16];
    store(way[0], r->d.x), store(way[1], r->d.y), store(way[2], r->d.z);
    int first_lane = any(live) ? __builtin_ctz(bits(live)) : 0;
    int stack[TREE_DEPTH], count = 0;
    stack[count++] = 0;
    while (count > 0)
    {
        const render_node *n = &mesh->nodes[stack[--count]];
        if (!any(both(live, pass_box(n, r->p, inverse, near, best->t)))) continue;
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

// the line runs mostly along x or along y; its width is counted along the other
INLINED span meet_line(const solid *s, lanes x, lanes y, float width, bool parallel)
{
    const float *a = s->thread[0], *b = s->thread[1];
    float dx = b[0] - a[0], dy = b[1] - a[1];
    bool steep = fabsf(dy) > fabsf(dx);
    float way = steep ? dy : dx, slope = way != 0.0f ? (steep ? dx : dy) / way : 0.0f;
    lanes right = sub(x, fill(a[0])), down = sub(y, fill(a[1]));
    lanes from = steep ? down : right, beside = steep ? right : down;
    lanes share = mul(from, fill(way != 0.0f ? 1.0f / way : 0.0f));
    mask hit = both(at_most(fill(0.0f), share), at_most(share, fill(1.0f)));
    hit = both(hit, at_most(magnitude(sub(beside, mul(from, fill(slope)))), fill(0.5f * width)));
    float first = parallel ? s->thread_depth[0] : 1.0f / s->thread_depth[0];
    float second = parallel ? s->thread_depth[1] : 1.0f / s->thread_depth[1];
    lanes t = add(fill(first), mul(share, fill(second - first)));
    if (!parallel) t = quotient(fill(1.0f), not_zero(t));
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
        tree_hit best = {met->t, from_bits(0), int_load(met->triangle)};
        meet_mesh(&best, s->mesh, &rays, near, live);
        met->t = best.t;
        int_store(met->triangle, best.triangle);
        met->solid = int_choose(best.hit, int_fill(number), met->solid);
        return;
    }
    span at = s->shape == SAC_SHAPE_LINE ? meet_line(s, x, y, s->size[0], r->scene->view.orthographic)
                                         : meet_solid(s, p, d, false);
    lanes t = add(at.enter, fill(fan->shift));
    mask nearer = both(at.hit, both(at_most(near, t), below(t, met->t)));
    met->t = choose(nearer, t, met->t);
    met->solid = int_choose(nearer, int_fill(number), met->solid);
}
