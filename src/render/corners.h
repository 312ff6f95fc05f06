#pragma once

#include "render/lighting.h"

/// Light on meshes and on boxes made of triangles: as OpenGL does it, the corners are lit, and points have what lies
/// between. Included by draw.c, once a CPU level.

enum
{
    LIT_TOGETHER = 5 ///< triangles whose corners are lit at once, a lane each
};

/// Which triangle each point is on, and where.
typedef struct triangle_place
{
    int32_t triangle[16];
    lanes share[3]; ///< barycentric coordinates
} triangle_place;

/// The triangles of a few points.
typedef struct lit_triangles
{
    int numbers[LIT_TOGETHER], count;
    int32_t first[16]; ///< of each point: the lane of its triangle's first corner
    unsigned points;   ///< those of these triangles
} lit_triangles;

// Takes as many triangles as are lit together from those of the points that are left.
static lit_triangles take_triangles(const int32_t triangle[16], unsigned left)
{
    lit_triangles out = {.count = 0};
    words all = words_load(triangle);
    while (left && out.count < LIT_TOGETHER)
    {
        int number = triangle[__builtin_ctz(left)];
        unsigned same = mask_bits(words_equal(all, words_set(number))) & left;
        for (unsigned rest = same; rest; rest &= rest - 1) out.first[__builtin_ctz(rest)] = 3 * out.count;
        out.numbers[out.count++] = number;
        out.points |= same;
        left &= ~same;
    }
    return out;
}

LANES bool is_lit_at_corners(const solid *s)
{
    return s->shape == SAC_SHAPE_MESH || (s->shape == SAC_SHAPE_BOX && s->grid[0].cells > 0);
}

// --- boxes, whose faces have grids as planes do, 1 in half width

// The two axes along a face, and which way the first one goes: with the face's normal they are right-handed. Squares
// are cut between the ends of these axes, as Mesa cuts those of MuJoCo.
static const int face_axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};
static const float half_widths[2] = {1.0f, 1.0f};

enum
{
    FACE_SHIFT = 28 // a face's number, twice the axis and 1 on its negative side, before those of triangles on a grid
};

static float face_turn(int axis, bool negative)
{
    return (axis == 1) != negative ? -1.0f : 1.0f;
}

static void box_corner(float at[3], float normal[3], const solid *s, int number, int corner)
{
    int axis = number >> FACE_SHIFT >> 1, column = (number & 0xffff) >> 1, row = number >> 16 & (BOX_CELLS - 1);
    bool beyond = number & 1, negative = number >> FACE_SHIFT & 1;
    column += corner == 0 ? beyond : corner == 1;
    row += corner == 0 ? beyond : corner == 2;
    const int *along = face_axes[axis];
    at[axis] = negative ? -s->size[axis] : s->size[axis];
    at[along[0]] = s->size[along[0]] * face_turn(axis, negative) * grid_line(&s->grid[0], half_widths[0], column);
    at[along[1]] = s->size[along[1]] * grid_line(&s->grid[1], half_widths[1], row);
    normal[axis] = negative ? -1.0f : 1.0f;
    normal[along[0]] = normal[along[1]] = 0.0f;
}

/// Where points of a box are on its faces.
static void place_on_box(triangle_place *on, const solid *s, lanes3 point, lanes3 normal)
{
    lanes zero = lanes_set(0.0f), one = lanes_set(1.0f);
    lanes3 p = {lanes_mul(point.x, lanes_set(1.0f / s->size[0])), lanes_mul(point.y, lanes_set(1.0f / s->size[1])),
                lanes_mul(point.z, lanes_set(1.0f / s->size[2]))};
    mask on_x = lanes_less(zero, lanes_abs(normal.x)), on_y = lanes_less(zero, lanes_abs(normal.y));
    lanes side = lanes_choose(on_x, normal.x, lanes_choose(on_y, normal.y, normal.z));
    lanes u = lanes_mul(lanes_choose(on_x, p.y, p.x), lanes_choose(on_y, lanes_minus(side), side));
    lanes v = lanes_choose(mask_or(on_x, on_y), p.z, p.y);
    words axis = words_choose(on_x, words_set(0), words_choose(on_y, words_set(1), words_set(2)));
    words negative = words_choose(lanes_less(side, zero), words_set(1), words_set(0));
    grid_place at = find_triangle(s->grid, half_widths, u, v);
    words face = words_add(words_shift_left(axis, 1), negative);
    words_store(on->triangle, words_add(words_shift_left(face, FACE_SHIFT), at.triangle));
    mask beyond = lanes_less(one, lanes_add(at.x, at.y));
    on->share[0] = lanes_abs(lanes_sub(one, lanes_add(at.x, at.y)));
    on->share[1] = lanes_choose(beyond, lanes_sub(one, at.y), at.x);
    on->share[2] = lanes_choose(beyond, lanes_sub(one, at.x), at.y);
}

// --- light

static void corner_of(float at[3], float normal[3], const solid *s, int number, int corner)
{
    if (s->shape == SAC_SHAPE_BOX)
    {
        box_corner(at, normal, s, number, corner);
        return;
    }
    memcpy(at, s->mesh->corners[number][corner], sizeof s->mesh->corners[number][corner]);
    memcpy(normal, s->mesh->normals[number][corner], sizeof s->mesh->normals[number][corner]);
}

static surface corners_of(const solid *s, const float eye[3], const lit_triangles *of)
{
    float at[3][16] = {{0}}, normal[3][16] = {{0}};
    for (int i = 0; i < 3 * of->count; i++)
    {
        float p[3], n[3];
        corner_of(p, n, s, of->numbers[i / 3], i % 3);
        for (int k = 0; k < 3; k++) at[k][i] = p[k], normal[k][i] = n[k];
    }
    surface out = {.point = {lanes_load(at[0]), lanes_load(at[1]), lanes_load(at[2])},
                   .normal = {lanes_load(normal[0]), lanes_load(normal[1]), lanes_load(normal[2])}};
    out.point = by_scale(s, out.point);
    out.normal = to_unit(by_inverse(s, out.normal));
    lanes3 from = fill3(eye);
    out.view = to_unit(
        (lanes3){lanes_sub(from.x, out.point.x), lanes_sub(from.y, out.point.y), lanes_sub(from.z, out.point.z)});
    return out;
}

// The colour of each point between those of its triangle's corners.
static lanes3 between(lanes3 corners, const lit_triangles *of, const triangle_place *on)
{
    float colour[3][16];
    lanes3 sum = no_light();
    lanes_store(colour[0], corners.x), lanes_store(colour[1], corners.y), lanes_store(colour[2], corners.z);
    for (int k = 0; k < 3; k++)
    {
        words corner = words_add(words_load(of->first), words_set(k));
        lanes3 c = {lanes_look_up(colour[0], corner), lanes_look_up(colour[1], corner),
                    lanes_look_up(colour[2], corner)};
        sum = sum3(sum, scaled(c, on->share[k]));
    }
    return sum;
}

/// The light in each of `count` sets of lights, cut to 1 at the corners; the first has what the solid emits, too.
static void light_corners(lanes3 *sets, const unsigned *lights, int count, const sac_renderer *r, const solid *s,
                          const float eye[3], float gain, const triangle_place *on, mask live)
{
    for (int set = 0; set < count; set++) sets[set] = no_light();
    for (unsigned left = mask_bits(live); left;)
    {
        lit_triangles of = take_triangles(on->triangle, left);
        surface corners = corners_of(s, eye, &of);
        for (int set = 0; set < count; set++)
        {
            lanes3 sum = light_by_all(r, s, lights[set], &corners, gain);
            if (set == 0) sum = sum3(sum, emitted(s, gain));
            sets[set] = choose3(mask_from_bits(of.points), between(cut(sum), &of, on), sets[set]);
        }
        left &= ~of.points;
    }
}

/// Where there is any light.
LANES mask is_bright(lanes3 light)
{
    return lanes_less(lanes_set(0.0f), lanes_max(light.x, lanes_max(light.y, light.z)));
}
