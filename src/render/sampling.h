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
    words raw = words_cast(x);
    lanes exponent = lanes_from_words(words_sub(words_shift_right(raw, 23), words_set(127)));
    lanes m =
        lanes_sub(lanes_cast(words_or(words_and(raw, words_set(0x7fffff)), words_set(0x3f800000))), lanes_set(1.0f));
    lanes p = lanes_mul_add(lanes_set(0.045266897f), m, lanes_set(-0.19351346f));
    p = lanes_mul_add(p, m, lanes_set(0.41524326f));
    p = lanes_mul_add(p, m, lanes_set(-0.70886455f));
    p = lanes_mul_add(p, m, lanes_set(1.4418798f));
    return lanes_mul_add(p, m, exponent);
}

/// 2^x to 5e-6 of it, for x <= 0; 0 below 2^-120.
static lanes exp2_lanes(lanes x)
{
    x = lanes_max(x, lanes_set(-120.0f));
    lanes n = lanes_floor(x), f = lanes_sub(x, n);
    lanes p = lanes_mul_add(lanes_set(0.013581784f), f, lanes_set(0.051947751f));
    p = lanes_mul_add(p, f, lanes_set(0.24144876f));
    p = lanes_mul_add(p, f, lanes_set(0.6930175f));
    p = lanes_mul_add(p, f, lanes_set(1.0f));
    return lanes_mul(p, lanes_cast(words_shift_left(words_add(words_truncate(n), words_set(127)), 23)));
}

/// x^power for x within 0..1. Whole powers, which nearly all materials have, by squaring.
static lanes power_lanes(lanes x, float power)
{
    if (power != (float)(int)power)
    {
        x = lanes_min(lanes_max(x, lanes_set(1e-30f)), lanes_set(1.0f));
        return exp2_lanes(lanes_min(lanes_mul(log2_lanes(x), lanes_set(power)), lanes_set(0.0f)));
    }
    lanes result = lanes_set(1.0f);
    for (unsigned n = (unsigned)power; n; n >>= 1)
    {
        if (n & 1) result = lanes_mul(result, x);
        if (n > 1) x = lanes_mul(x, x);
    }
    return result;
}

/// Add four texels around (u, v), weighted, with weights that sum to `share`; u, v, column and row are within the
/// level.
INLINED void add_block(words sum[3], const render_texture *t, words index, lanes fx, lanes fy, words share)
{
    lanes one = lanes_from_words(share), x = lanes_mul(fx, one);
    words w3 = words_round(lanes_mul(x, fy)), w1 = words_sub(words_round(x), w3),
          w2 = words_sub(words_round(lanes_mul(fy, one)), w3);
    words w0 = words_sub(words_sub(share, w1), words_add(w2, w3)), low = words_set(0xffff), bytes = words_set(0xff00ff);
    words even = words_or(words_and(w0, low), words_shift_left(w2, 16)), odd = words_or(w1, words_shift_left(w3, 16));
    words block[4];
    words_gather(block, t->blocks, index);
    for (int c = 0; c < 3; c++)
    {
        words a = words_multiply_pairs(words_and(block[c], bytes), even);
        words b = words_multiply_pairs(words_and(words_shift_right(block[c], 8), bytes), odd);
        sum[c] = words_add(sum[c], words_add(a, b));
    }
}

// Adds a sample of a picture that wraps around; s and v lie within 0..1.
INLINED void add_wrapped(words sum[3], const render_texture *t, lanes s, lanes v, words level, words share)
{
    lanes width = lanes_look_up(t->width, level), height = lanes_look_up(t->height, level), half = lanes_set(0.5f),
          zero = lanes_set(0.0f);
    lanes x = lanes_sub(lanes_mul(s, width), half), y = lanes_sub(lanes_mul(v, height), half);
    lanes left = lanes_floor(x), top = lanes_floor(y), fx = lanes_sub(x, left), fy = lanes_sub(y, top);
    left = lanes_choose(lanes_less(left, zero), lanes_add(left, width), left);
    top = lanes_choose(lanes_less(top, zero), lanes_add(top, height), top);
    words row = words_mul(words_truncate(top), words_look_up(t->columns, level));
    add_block(sum, t, words_add(words_add(row, words_truncate(left)), words_look_up(t->first, level)), fx, fy, share);
}

// Adds a sample of a cube's face, which stops at its edges.
INLINED void add_clamped(words sum[3], const render_texture *t, lanes s, lanes v, words face, words level, words share)
{
    lanes width = lanes_look_up(t->width, level), half = lanes_set(0.5f), zero = lanes_set(0.0f),
          last = lanes_sub(width, lanes_set(1.0f));
    lanes x = lanes_min(lanes_max(lanes_sub(lanes_mul(s, width), half), zero), last);
    lanes y = lanes_min(lanes_max(lanes_sub(lanes_mul(v, width), half), zero), last);
    lanes left = lanes_floor(x), top = lanes_floor(y);
    words row = words_mul(words_truncate(top), words_look_up(t->columns, level));
    words start = words_add(words_look_up(t->first, level), words_mul(face, words_look_up(t->face, level)));
    add_block(sum, t, words_add(words_add(row, words_truncate(left)), start), lanes_sub(x, left), lanes_sub(y, top),
              share);
}

/// Between which two mipmaps, and how much of the second: from the texels that a pixel is wide, squared.
typedef struct mip
{
    words level, next, share, next_share;
    bool single; ///< the second has no part
} mip;

// GL_LINEAR_MIPMAP_LINEAR: the two levels beside the level of detail, weighted by its fraction. A pixel that is
// narrower than a texel is magnified, from level 0.
INLINED mip find_mip(const render_texture *t, lanes square)
{
    lanes lod = lanes_mul(log2_lanes(lanes_min(lanes_max(square, lanes_set(1.0f)), lanes_set(1e18f))), lanes_set(0.5f));
    lod = lanes_min(lod, lanes_set((float)(t->levels - 1)));
    lanes level = lanes_floor(lod), part = lanes_sub(lod, level);
    mip m;
    m.level = words_truncate(level);
    m.next = words_min(words_add(m.level, words_set(1)), words_set(t->levels - 1));
    m.next_share = words_round(lanes_mul(part, lanes_set((float)TAP_ONE)));
    m.share = words_sub(words_set(TAP_ONE), m.next_share);
    m.single = !mask_any(lanes_less(lanes_set(0.0f), part));
    return m;
}

INLINED lanes3 mean_of(const words sum[3])
{
    lanes scale = lanes_set(1.0f / (255.0f * TAP_ONE));
    return (lanes3){lanes_mul(lanes_from_words(sum[0]), scale), lanes_mul(lanes_from_words(sum[1]), scale),
                    lanes_mul(lanes_from_words(sum[2]), scale)};
}

/// A picture at (s, v), where a pixel is so many texels wide, squared.
static lanes3 sample_picture(const render_texture *t, lanes s, lanes v, lanes square)
{
    s = lanes_clamp(lanes_sub(s, lanes_floor(s)));
    v = lanes_clamp(lanes_sub(v, lanes_floor(v)));
    mip m = find_mip(t, square);
    words sum[3] = {words_set(0), words_set(0), words_set(0)};
    add_wrapped(sum, t, s, v, m.level, m.share);
    if (!m.single) add_wrapped(sum, t, s, v, m.next, m.next_share);
    return mean_of(sum);
}

// one coordinate of a face and what it changes a pixel: 0.5 (a / b + 1)
static lanes face_slope(lanes a, lanes b, lanes da, lanes db)
{
    lanes inverse = lanes_div(lanes_set(1.0f), b);
    return lanes_mul(lanes_mul(lanes_sub(da, lanes_mul(lanes_mul(a, inverse), db)), inverse), lanes_set(0.5f));
}

/// A cube in direction d, which changes by dx and dy a pixel. Faces +x -x +y -y +z -z as OpenGL orders and turns them.
static lanes3 sample_cube(const render_texture *t, lanes3 d, lanes3 dx, lanes3 dy)
{
    lanes ax = lanes_abs(d.x), ay = lanes_abs(d.y), az = lanes_abs(d.z), zero = lanes_set(0.0f);
    mask on_x = mask_and(lanes_at_most(ay, ax), lanes_at_most(az, ax)),
         on_y = mask_without(lanes_at_most(az, ay), on_x);
    lanes major = lanes_choose(on_x, d.x, lanes_choose(on_y, d.y, d.z));
    mask minus = lanes_less(major, zero);
    words face = words_choose(on_x, words_set(0), words_choose(on_y, words_set(2), words_set(4)));
    face = words_choose(minus, words_add(face, words_set(1)), face);
    // along x: (-z, -y) on the plus side, (z, -y) on the other; along y: (x, z), (x, -z); along z: (x, -y), (-x, -y)
    lanes3 *from[3] = {&d, &dx, &dy};
    lanes u[3], v[3], w[3];
    for (int i = 0; i < 3; i++)
    {
        lanes3 *a = from[i];
        lanes sideways = lanes_choose(on_x, lanes_minus(a->z), a->x), up = lanes_choose(on_y, a->z, lanes_minus(a->y));
        u[i] = lanes_choose(mask_without(minus, on_y), lanes_minus(sideways), sideways);
        v[i] = lanes_choose(mask_and(minus, on_y), lanes_minus(up), up);
        lanes main = lanes_choose(on_x, a->x, lanes_choose(on_y, a->y, a->z));
        w[i] = lanes_choose(minus, lanes_minus(main), main);
    }
    w[0] = lanes_max(w[0], lanes_set(1e-20f));
    lanes s = lanes_clamp(lanes_mul(lanes_add(lanes_div(u[0], w[0]), lanes_set(1.0f)), lanes_set(0.5f)));
    lanes q = lanes_clamp(lanes_mul(lanes_add(lanes_div(v[0], w[0]), lanes_set(1.0f)), lanes_set(0.5f)));
    lanes square[2];
    for (int axis = 0; axis < 2; axis++)
    {
        lanes du = face_slope(u[0], w[0], u[1 + axis], w[1 + axis]),
              dv = face_slope(v[0], w[0], v[1 + axis], w[1 + axis]);
        square[axis] = lanes_add(lanes_mul(du, du), lanes_mul(dv, dv));
    }
    mip m = find_mip(t, lanes_mul(lanes_max(square[0], square[1]), lanes_set(t->width[0] * t->width[0])));
    words sum[3] = {words_set(0), words_set(0), words_set(0)};
    add_clamped(sum, t, s, q, face, m.level, m.share);
    if (!m.single) add_clamped(sum, t, s, q, face, m.next, m.next_share);
    return mean_of(sum);
}
