#pragma once

#include "render/lighting.h"
#include "render/shapes.h"

/// Flat textures that lie around a solid, as MuJoCo lays them from 3.12 on: (u, v) of a point, and what they change
/// when the point moves by a pixel. Points and moves are in the solid's own coordinates, with a radius of 1 for round
/// shapes. Included by draw.c, once a CPU level.

/// A place on a flat texture, 0..1 within the picture, and how it moves for a pixel in x and in y.
typedef struct place
{
    lanes u, v, du[2], dv[2];
} place;

// The angle of (x, y) in turns, within 0..1, to 3e-7. Atan of the smaller over the larger one is an odd polynomial,
// fitted to that largest error; the rest is mirrored.
static lanes turns(lanes x, lanes y)
{
    lanes across = lanes_abs(x), up = lanes_abs(y), zero = lanes_set(0.0f);
    lanes ratio = lanes_div(lanes_min(across, up), lanes_max(lanes_max(across, up), lanes_set(1e-20f)));
    lanes square = lanes_mul(ratio, ratio), p = lanes_set(-0.00186515751f);
    p = lanes_mul_add(p, square, lanes_set(0.00837908499f));
    p = lanes_mul_add(p, square, lanes_set(-0.018529851f));
    p = lanes_mul_add(p, square, lanes_set(0.0308029093f));
    p = lanes_mul_add(p, square, lanes_set(-0.0529385693f));
    p = lanes_mul(lanes_mul_add(p, square, lanes_set(0.159151316f)), ratio);
    p = lanes_choose(lanes_less(across, up), lanes_sub(lanes_set(0.25f), p), p);
    p = lanes_choose(lanes_less(x, zero), lanes_sub(lanes_set(0.5f), p), p);
    return lanes_choose(lanes_less(y, zero), lanes_sub(lanes_set(1.0f), p), p);
}

// How much that angle changes, in turns: (x dy - y dx) / (x^2 + y^2) / 2 pi.
INLINED lanes turning(lanes x, lanes y, lanes dx, lanes dy)
{
    lanes square = lanes_add(lanes_mul(x, x), lanes_mul(y, y));
    lanes part = lanes_div(lanes_sub(lanes_mul(x, dy), lanes_mul(y, dx)), lanes_max(square, lanes_set(1e-20f)));
    return lanes_mul(part, lanes_set(0.15915494f));
}

INLINED lanes half_of(lanes x)
{
    return lanes_mul_add(x, lanes_set(0.5f), lanes_set(0.5f));
}

// The distance from the axis along z, and how it changes.
INLINED lanes from_axis(lanes3 p)
{
    return lanes_sqrt(lanes_add(lanes_mul(p.x, p.x), lanes_mul(p.y, p.y)));
}
INLINED lanes leaving(lanes3 p, lanes3 move, lanes distance)
{
    return lanes_div(lanes_add(lanes_mul(p.x, move.x), lanes_mul(p.y, move.y)), lanes_max(distance, lanes_set(1e-20f)));
}

// On the sides of a box u is along x, or along y where x stands still, and v is against z, or against y where z does.
static place on_box(const solid *s, lanes3 p, const lanes3 move[2], lanes3 normal)
{
    lanes zero = lanes_set(0.0f), half = lanes_set(0.5f);
    mask on_x = mask_or(lanes_less(normal.x, zero), lanes_less(zero, normal.x)),
         on_z = mask_or(lanes_less(normal.z, zero), lanes_less(zero, normal.z));
    const lanes3 *from[3] = {&p, &move[0], &move[1]};
    lanes u[3], v[3];
    for (int i = 0; i < 3; i++)
    {
        lanes x = lanes_mul(from[i]->x, lanes_set(0.5f / s->size[0])),
              y = lanes_mul(from[i]->y, lanes_set(0.5f / s->size[1])),
              z = lanes_mul(from[i]->z, lanes_set(0.5f / s->size[2]));
        u[i] = lanes_choose(on_x, y, x);
        v[i] = lanes_minus(lanes_choose(on_z, y, z));
    }
    return (place){lanes_add(u[0], half), lanes_add(v[0], half), {u[1], u[2]}, {v[1], v[2]}};
}

// Longitude and latitude of the unit sphere, from the upper pole down.
static place on_sphere(lanes3 p, const lanes3 move[2])
{
    lanes distance = from_axis(p);
    place out;
    out.u = turns(p.x, p.y);
    out.v = lanes_mul(turns(p.z, distance), lanes_set(2.0f));
    for (int axis = 0; axis < 2; axis++)
    {
        lanes3 m = move[axis];
        out.du[axis] = turning(p.x, p.y, m.x, m.y);
        out.dv[axis] = lanes_mul(turning(p.z, distance, m.z, leaving(p, m, distance)), lanes_set(2.0f));
    }
    return out;
}

// The wall as the side of a round box; each end is half a sphere, with v from its pole to its rim at the top and from
// its rim to its pole at the bottom.
static place on_capsule(const solid *s, lanes3 p, const lanes3 move[2])
{
    lanes h = lanes_set(s->size[1]), slope = lanes_set(s->size[1] > 0.0f ? -0.5f / s->size[1] : 0.0f);
    mask top = lanes_less(h, p.z), end = mask_or(top, lanes_less(p.z, lanes_minus(h)));
    lanes3 centred = p;
    centred.z = lanes_choose(top, lanes_sub(p.z, h), lanes_add(p.z, h));
    place ball = on_sphere(centred, move), out = ball;
    ball.v = lanes_mul(ball.v, lanes_set(2.0f));
    ball.v = lanes_choose(top, ball.v, lanes_sub(ball.v, lanes_set(1.0f)));
    out.v = lanes_choose(end, ball.v, lanes_mul_add(p.z, slope, lanes_set(0.5f)));
    for (int axis = 0; axis < 2; axis++)
        out.dv[axis] = lanes_choose(end, lanes_mul(ball.dv[axis], lanes_set(2.0f)), lanes_mul(move[axis].z, slope));
    return out;
}

// The wall as a capsule's; on the ends u is along x and v along y.
static place on_cylinder(const solid *s, lanes3 p, const lanes3 move[2], lanes3 normal)
{
    lanes half = lanes_set(0.5f), slope = lanes_set(-0.5f / s->size[1]), zero = lanes_set(0.0f);
    mask end = mask_or(lanes_less(normal.z, zero), lanes_less(zero, normal.z));
    place out = {.u = lanes_choose(end, half_of(p.x), turns(p.x, p.y)),
                 .v = lanes_choose(end, half_of(p.y), lanes_mul_add(p.z, slope, half))};
    for (int axis = 0; axis < 2; axis++)
    {
        lanes3 m = move[axis];
        out.du[axis] = lanes_choose(end, lanes_mul(m.x, half), turning(p.x, p.y, m.x, m.y));
        out.dv[axis] = lanes_choose(end, lanes_mul(m.y, half), lanes_mul(m.z, slope));
    }
    return out;
}

/// Where the texture of a solid that is neither a plane nor a mesh is at a point.
static place around_solid(const solid *s, lanes3 p, const lanes3 move[2], lanes3 normal)
{
    switch (s->shape)
    {
    case SAC_SHAPE_BOX: return on_box(s, p, move, normal);
    case SAC_SHAPE_CAPSULE: return on_capsule(s, p, move);
    case SAC_SHAPE_CYLINDER: return on_cylinder(s, p, move, normal);
    default: return on_sphere(p, move);
    }
}
