#pragma once

#include "render/frame.h"
#include "render/lanes.h"

/// Textures, and the two powers that lighting needs. Included by draw.c, once a CPU level.

enum
{
    TAP_ONE = 16384 ///< weights of texels are whole numbers with this sum
};

/// log2 x to 2e-5, for x of 1e-30..1e30.
INLINED lanes log2_lanes(lanes x)
{
    ints raw = as_ints(x);
    lanes exponent = to_lanes(int_sub(shift_right(raw, 23), int_fill(127)));
    lanes m = sub(as_lanes(int_or(int_and(raw, int_fill(0x7fffff)), int_fill(0x3f800000))), fill(1.0f));
    lanes p = mul_add(fill(0.045266897f), m, fill(-0.19351346f));
    p = mul_add(p, m, fill(0.41524326f));
    p = mul_add(p, m, fill(-0.70886455f));
    p = mul_add(p, m, fill(1.4418798f));
    return mul_add(p, m, exponent);
}

/// 2^x to 5e-6 of it, for x <= 0; 0 below 2^-120.
static lanes exp2_lanes(lanes x)
{
    x = most(x, fill(-120.0f));
    lanes n = whole(x), f = sub(x, n);
    lanes p = mul_add(fill(0.013581784f), f, fill(0.051947751f));
    p = mul_add(p, f, fill(0.24144876f));
    p = mul_add(p, f, fill(0.6930175f));
    p = mul_add(p, f, fill(1.0f));
    return mul(p, as_lanes(shift_left(int_add(truncated(n), int_fill(127)), 23)));
}

/// x^power for x within 0..1. Whole powers, which nearly all materials have, by squaring.
static lanes power_lanes(lanes x, float power)
{
    if (power != (float)(int)power)
    {
        x = least(most(x, fill(1e-30f)), fill(1.0f));
        return exp2_lanes(least(mul(log2_lanes(x), fill(power)), fill(0.0f)));
    }
    lanes result = fill(1.0f);
    for (unsigned n = (unsigned)power; n; n >>= 1)
    {
        if (n & 1) result = mul(result, x);
        if (n > 1) x = mul(x, x);
    }
    return result;
}

/// Add four texels around (u, v), weighted, with weights that sum to `share`; u, v, column and row are within the
/// level.
INLINED void add_block(ints sum[3], const render_texture *t, ints index, lanes fx, lanes fy, ints share)
{
    lanes one = to_lanes(share), x = mul(fx, one);
    ints w3 = rounded(mul(x, fy)), w1 = int_sub(rounded(x), w3), w2 = int_sub(rounded(mul(fy, one)), w3);
    ints w0 = int_sub(int_sub(share, w1), int_add(w2, w3)), low = int_fill(0xffff), bytes = int_fill(0xff00ff);
    ints even = int_or(int_and(w0, low), shift_left(w2, 16)), odd = int_or(w1, shift_left(w3, 16));
    ints block[4];
    gather_blocks(block, t->blocks, index);
    for (int c = 0; c < 3; c++)
    {
        ints a = multiply_pairs(int_and(block[c], bytes), even);
        ints b = multiply_pairs(int_and(shift_right(block[c], 8), bytes), odd);
        sum[c] = int_add(sum[c], int_add(a, b));
    }
}

// a picture that wraps around; s and t within 0..1
INLINED void add_wrapped(ints sum[3], const render_texture *t, lanes s, lanes v, ints level, ints share)
{
    lanes width = lookup(t->width, level), height = lookup(t->height, level), half = fill(0.5f), zero = fill(0.0f);
    lanes x = sub(mul(s, width), half), y = sub(mul(v, height), half);
    lanes left = whole(x), top = whole(y), fx = sub(x, left), fy = sub(y, top);
    left = choose(below(left, zero), add(left, width), left);
    top = choose(below(top, zero), add(top, height), top);
    ints row = int_mul(truncated(top), int_lookup(t->columns, level));
    add_block(sum, t, int_add(int_add(row, truncated(left)), int_lookup(t->first, level)), fx, fy, share);
}

// a face of a cube, which stops at its edges
INLINED void add_clamped(ints sum[3], const render_texture *t, lanes s, lanes v, ints face, ints level, ints share)
{
    lanes width = lookup(t->width, level), half = fill(0.5f), zero = fill(0.0f), last = sub(width, fill(1.0f));
    lanes x = least(most(sub(mul(s, width), half), zero), last);
    lanes y = least(most(sub(mul(v, width), half), zero), last);
    lanes left = whole(x), top = whole(y);
    ints row = int_mul(truncated(top), int_lookup(t->columns, level));
    ints start = int_add(int_lookup(t->first, level), int_mul(face, int_lookup(t->face, level)));
    add_block(sum, t, int_add(int_add(row, truncated(left)), start), sub(x, left), sub(y, top), share);
}

/// Between which two mipmaps, and how much of the second: from the texels that a pixel is wide, squared.
typedef struct mip
{
    ints level, next, share, next_share;
    bool single; ///< the second has no part
} mip;

INLINED mip find_mip(const render_texture *t, lanes square)
{
    lanes lod = mul(log2_lanes(least(most(square, fill(1.0f)), fill(1e18f))), fill(0.5f));
    lod = least(lod, fill((float)(t->levels - 1)));
    lanes level = whole(lod), part = sub(lod, level);
    mip m;
    m.level = truncated(level);
    m.next = int_least(int_add(m.level, int_fill(1)), int_fill(t->levels - 1));
    m.next_share = rounded(mul(part, fill((float)TAP_ONE)));
    m.share = int_sub(int_fill(TAP_ONE), m.next_share);
    m.single = !any(below(fill(0.0f), part));
    return m;
}

INLINED lanes3 mean_of(const ints sum[3])
{
    lanes scale = fill(1.0f / (255.0f * TAP_ONE));
    return (lanes3){mul(to_lanes(sum[0]), scale), mul(to_lanes(sum[1]), scale), mul(to_lanes(sum[2]), scale)};
}

/// A picture at (s, v), where a pixel is so many texels wide, squared.
static lanes3 sample_picture(const render_texture *t, lanes s, lanes v, lanes square)
{
    s = unit(sub(s, whole(s)));
    v = unit(sub(v, whole(v)));
    mip m = find_mip(t, square);
    ints sum[3] = {int_fill(0), int_fill(0), int_fill(0)};
    add_wrapped(sum, t, s, v, m.level, m.share);
    if (!m.single) add_wrapped(sum, t, s, v, m.next, m.next_share);
    return mean_of(sum);
}

// one coordinate of a face and what it changes a pixel: 0.5 (a / b + 1)
static lanes face_slope(lanes a, lanes b, lanes da, lanes db)
{
    lanes inverse = quotient(fill(1.0f), b);
    return mul(mul(sub(da, mul(mul(a, inverse), db)), inverse), fill(0.5f));
}

/// A cube in direction d, which changes by dx and dy a pixel. Faces +x -x +y -y +z -z as OpenGL orders and turns them.
static lanes3 sample_cube(const render_texture *t, lanes3 d, lanes3 dx, lanes3 dy)
{
    lanes ax = magnitude(d.x), ay = magnitude(d.y), az = magnitude(d.z), zero = fill(0.0f);
    mask on_x = both(at_most(ay, ax), at_most(az, ax)), on_y = without(at_most(az, ay), on_x);
    lanes major = choose(on_x, d.x, choose(on_y, d.y, d.z));
    mask minus = below(major, zero);
    ints face = int_choose(on_x, int_fill(0), int_choose(on_y, int_fill(2), int_fill(4)));
    face = int_choose(minus, int_add(face, int_fill(1)), face);
    // along x: (-z, -y) on the plus side, (z, -y) on the other; along y: (x, z), (x, -z); along z: (x, -y), (-x, -y)
    lanes3 *from[3] = {&d, &dx, &dy};
    lanes u[3], v[3], w[3];
    for (int i = 0; i < 3; i++)
    {
        lanes3 *a = from[i];
        lanes sideways = choose(on_x, negative(a->z), a->x), up = choose(on_y, a->z, negative(a->y));
        u[i] = choose(without(minus, on_y), negative(sideways), sideways);
        v[i] = choose(both(minus, on_y), negative(up), up);
        lanes main = choose(on_x, a->x, choose(on_y, a->y, a->z));
        w[i] = choose(minus, negative(main), main);
    }
    w[0] = most(w[0], fill(1e-20f));
    lanes s = unit(mul(add(quotient(u[0], w[0]), fill(1.0f)), fill(0.5f)));
    lanes q = unit(mul(add(quotient(v[0], w[0]), fill(1.0f)), fill(0.5f)));
    lanes square[2];
    for (int axis = 0; axis < 2; axis++)
    {
        lanes du = face_slope(u[0], w[0], u[1 + axis], w[1 + axis]),
              dv = face_slope(v[0], w[0], v[1 + axis], w[1 + axis]);
        square[axis] = add(mul(du, du), mul(dv, dv));
    }
    mip m = find_mip(t, mul(most(square[0], square[1]), fill(t->width[0] * t->width[0])));
    ints sum[3] = {int_fill(0), int_fill(0), int_fill(0)};
    add_clamped(sum, t, s, q, face, m.level, m.share);
    if (!m.single) add_clamped(sum, t, s, q, face, m.next, m.next_share);
    return mean_of(sum);
}
