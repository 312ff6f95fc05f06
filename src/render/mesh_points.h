#pragma once

#include "render/shapes.h"

/// Where on their triangles points of meshes are, and their texcoords. Included by draw.c, once a CPU level.

enum
{
#ifdef SAC_LEVEL_SCALAR
    SHARED_BY = 17 ///< so many points of a triangle are worth a look-up by lanes: never where these are no registers
#else
    SHARED_BY = 4
#endif
};

/// What is known of points of a mesh, a lane each.
typedef struct mesh_looks
{
    float share[3][16];  ///< barycentric coordinates: how much of each corner of the triangle is in the point
    float normal[3][16]; ///< of the triangle, of any length
    float st[2][16];
    float slopes[2][3][16]; ///< of s and t, alike over a triangle
} mesh_looks;

// A corner's share of a point is the area of the opposite part of the triangle.
static void corner_shares(float out[3], const float c[3][3], const float n[3], const float p[3])
{
    float part[3], to[3][3];
    float whole_area = dot_floats(n, n);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) to[k][i] = c[k][i] - p[i];
    for (int k = 0; k < 3; k++)
    {
        cross3(part, to[(k + 1) % 3], to[(k + 2) % 3]);
        out[k] = whole_area > 0.0f ? dot_floats(part, n) / whole_area : 1.0f / 3.0f;
    }
}

static void look_up_point(mesh_looks *out, const render_mesh *m, int number, int lane, const float p[3])
{
    float share[3], n[3];
    triangle_normal(n, (const float(*)[3])m->corners[number]);
    corner_shares(share, (const float(*)[3])m->corners[number], n, p);
    for (int i = 0; i < 3; i++) out->share[i][lane] = share[i], out->normal[i][lane] = n[i];
    for (int c = 0; c < 2 && m->texcoords; c++)
    {
        out->st[c][lane] = 0;
        for (int k = 0; k < 3; k++)
        {
            out->st[c][lane] += share[k] * m->texcoords[number][k][c];
            out->slopes[c][k][lane] = m->slopes[number][c][k];
        }
    }
}

LANES lanes3 cross_lanes(lanes3 a, lanes3 b)
{
    return (lanes3){lanes_sub(lanes_mul(a.y, b.z), lanes_mul(a.z, b.y)),
                    lanes_sub(lanes_mul(a.z, b.x), lanes_mul(a.x, b.z)),
                    lanes_sub(lanes_mul(a.x, b.y), lanes_mul(a.y, b.x))};
}

LANES void put(float *at, mask here, lanes x)
{
    lanes_store(at, lanes_choose(here, x, lanes_load(at)));
}

// The same for all points of one triangle at once, by the same arithmetic.
static void look_up_triangle(mesh_looks *out, const render_mesh *m, int number, mask here, lanes3 p)
{
    const float(*c)[3] = (const float(*)[3])m->corners[number];
    float n[3];
    triangle_normal(n, c);
    float whole_area = dot_floats(n, n);
    lanes3 to[3];
    lanes share[3];
    for (int k = 0; k < 3; k++)
    {
        lanes3 corner = fill3(c[k]);
        to[k] = (lanes3){lanes_sub(corner.x, p.x), lanes_sub(corner.y, p.y), lanes_sub(corner.z, p.z)};
    }
    for (int k = 0; k < 3; k++)
    {
        lanes part = dot(cross_lanes(to[(k + 1) % 3], to[(k + 2) % 3]), fill3(n));
        share[k] = whole_area > 0.0f ? lanes_div(part, lanes_set(whole_area)) : lanes_set(1.0f / 3.0f);
    }
    for (int i = 0; i < 3; i++) put(out->share[i], here, share[i]), put(out->normal[i], here, lanes_set(n[i]));
    for (int d = 0; d < 2 && m->texcoords; d++)
    {
        lanes sum = lanes_set(0.0f);
        for (int k = 0; k < 3; k++)
        {
            sum = lanes_add(sum, lanes_mul(share[k], lanes_set(m->texcoords[number][k][d])));
            put(out->slopes[d][k], here, lanes_set(m->slopes[number][d][k]));
        }
        put(out->st[d], here, sum);
    }
}

/// Look up what the points of a packet take. Triangles that a few of them share are looked up for all of them at once,
/// others point by point.
static void look_up_points(mesh_looks *out, const render_mesh *m, const int32_t triangle[16], mask live, lanes3 point)
{
    float p[3][16];
    lanes_store(p[0], point.x), lanes_store(p[1], point.y), lanes_store(p[2], point.z);
    words all = words_load(triangle);
    for (unsigned left = mask_bits(live); left;)
    {
        int lane = __builtin_ctz(left), number = triangle[lane];
        unsigned here = mask_bits(words_equal(all, words_set(number))) & left;
        if (__builtin_popcount(here) >= SHARED_BY)
            look_up_triangle(out, m, number, mask_from_bits(here), point);
        else
            here = 1u << lane, look_up_point(out, m, number, lane, (float[3]){p[0][lane], p[1][lane], p[2][lane]});
        left &= ~here;
    }
}
