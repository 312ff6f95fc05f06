#pragma once

#include "render/frame.h"
#include "render/lanes.h"
#include "render/sampling.h"

/// Light as OpenGL's fixed functions have it. Included by draw.c, once a CPU level.

/// A point of a solid in the solid's own coordinates, and who looks at it.
typedef struct surface
{
    lanes3 point, normal; ///< of unit length
    lanes3 view;          ///< towards the eye, of unit length
} surface;

LANES lanes3 to_unit(lanes3 v)
{
    return scaled(v, lanes_div(lanes_set(1.0f), lanes_sqrt(lanes_max(dot(v, v), lanes_set(1e-30f)))));
}

LANES lanes3 by_scale(const solid *s, lanes3 v)
{
    return (lanes3){lanes_mul(v.x, lanes_set(s->scale[0])), lanes_mul(v.y, lanes_set(s->scale[1])),
                    lanes_mul(v.z, lanes_set(s->scale[2]))};
}

LANES lanes3 by_inverse(const solid *s, lanes3 v)
{
    return (lanes3){lanes_mul(v.x, lanes_set(1.0f / s->scale[0])), lanes_mul(v.y, lanes_set(1.0f / s->scale[1])),
                    lanes_mul(v.z, lanes_set(1.0f / s->scale[2]))};
}

LANES lanes3 no_light(void)
{
    lanes zero = lanes_set(0.0f);
    return (lanes3){zero, zero, zero};
}

LANES void add_light(lanes3 *sum, const float colour[3], lanes amount)
{
    sum->x = lanes_add(sum->x, lanes_mul(lanes_set(colour[0]), amount));
    sum->y = lanes_add(sum->y, lanes_mul(lanes_set(colour[1]), amount));
    sum->z = lanes_add(sum->z, lanes_mul(lanes_set(colour[2]), amount));
}

/// How much of a spot's light arrives, with its direction from the point; `towards` is then of unit length.
// OpenGL 2.1 specification, section 2.14.1: 1 / (k0 + k1 d + k2 d^2), times the cosine of the angle to the spot's axis
// to the power of the exponent, and nothing outside the cutoff.
static lanes spot_share(const render_light *shared, const solid_light *light, lanes3 point, lanes3 *towards)
{
    lanes3 at = fill3(light->position);
    lanes3 way = {lanes_sub(at.x, point.x), lanes_sub(at.y, point.y), lanes_sub(at.z, point.z)};
    lanes square = lanes_max(dot(way, way), lanes_set(1e-30f)), distance = lanes_sqrt(square), one = lanes_set(1.0f);
    *towards = scaled(way, lanes_div(one, distance));
    lanes share = one;
    const float *a = shared->attenuation;
    if (a[0] != 1.0f || a[1] != 0.0f || a[2] != 0.0f)
        share = lanes_div(one, lanes_max(lanes_add(lanes_set(a[0]), lanes_add(lanes_mul(lanes_set(a[1]), distance),
                                                                              lanes_mul(lanes_set(a[2]), square))),
                                         lanes_set(1e-9f)));
    if (shared->cutoff <= -1.0f) return share;
    lanes cosine = lanes_minus(dot(*towards, fill3(light->direction)));
    mask inside = lanes_at_most(lanes_set(shared->cutoff), cosine);
    if (shared->exponent > 0.0f) share = lanes_mul(share, power_lanes(lanes_clamp(cosine), shared->exponent));
    return lanes_choose(inside, share, lanes_set(0.0f));
}

/// Add one light. @return where the surface faces it
// The same section: ambient + max(n . l, 0) diffuse + max(n . h, 0)^shininess specular, where h is half way between
// light and eye, and the last term is there only where the surface faces the light.
static mask light_by(lanes3 *sum, const sac_renderer *r, const solid *s, int number, const surface *at, float gain)
{
    const render_light *shared = &r->lights[number];
    const solid_light *light = &s->lights[number];
    lanes3 towards = {lanes_set(-light->direction[0]), lanes_set(-light->direction[1]),
                      lanes_set(-light->direction[2])};
    lanes share = lanes_set(1.0f), zero = lanes_set(0.0f);
    if (!shared->directional) share = spot_share(shared, light, at->point, &towards);
    lanes facing = dot(at->normal, towards);
    mask lit = lanes_less(zero, facing);
    lanes amount = lanes_mul(share, lanes_set(gain));
    add_light(sum, light->ambient, amount);
    add_light(sum, light->diffuse, lanes_mul(amount, lanes_max(facing, zero)));
    if (s->specular > 0.0f && mask_any(lit))
    {
        // n.(l + v) / |l + v|, both of unit length
        lanes length = lanes_sqrt(
            lanes_max(lanes_mul_add(lanes_set(2.0f), dot(towards, at->view), lanes_set(2.0f)), lanes_set(1e-12f)));
        lanes half = lanes_clamp(lanes_div(lanes_add(facing, dot(at->normal, at->view)), length));
        add_light(sum, light->specular, lanes_choose(lit, lanes_mul(share, power_lanes(half, s->power)), zero));
    }
    return lit;
}

/// The sum of several lights, not yet cut to 1.
static lanes3 light_by_all(const sac_renderer *r, const solid *s, unsigned lights, const surface *at, float gain)
{
    lanes3 sum = no_light();
    for (; lights; lights &= lights - 1) light_by(&sum, r, s, __builtin_ctz(lights), at, gain);
    return sum;
}

/// What a solid gives without light.
LANES lanes3 emitted(const solid *s, float gain)
{
    const float own[3] = {s->emission[0] * gain, s->emission[1] * gain, s->emission[2] * gain};
    return fill3(own);
}

LANES lanes3 cut(lanes3 colour)
{
    return (lanes3){lanes_clamp(colour.x), lanes_clamp(colour.y), lanes_clamp(colour.z)};
}

// --- planes, which are lit at the crossings of their grid

static float grid_line(const sac_plane_grid *g, float size, int i)
{
    if (i <= 0) return -size;
    if (i >= g->cells) return size;
    return g->pad - size + (float)(i - 1) * g->step;
}

static surface crossings(const solid *s, int column, int row)
{
    float x[16], y[16];
    for (int i = 0; i < 16; i++)
    {
        x[i] = grid_line(&s->grid[0], s->size[0], column * GRID_CELLS + i % 4);
        y[i] = grid_line(&s->grid[1], s->size[1], row * GRID_CELLS + i / 4);
    }
    lanes zero = lanes_set(0.0f), one = lanes_set(1.0f);
    surface at = {{lanes_load(x), lanes_load(y), zero}, {zero, zero, one}, {zero, zero, zero}};
    lanes3 eye = fill3(s->eye_point);
    at.view =
        to_unit((lanes3){lanes_sub(eye.x, at.point.x), lanes_sub(eye.y, at.point.y), lanes_sub(eye.z, at.point.z)});
    return at;
}

static void light_block(float *out, const sac_renderer *r, const solid *s, int column, int row)
{
    surface at = crossings(s, column, row);
    unsigned casting = r->casting;
    for (int set = 0; set < r->sets; set++, out += 48)
    {
        lanes3 sum = light_by_all(r, s, set == 0 ? r->steady : casting & -casting, &at, 1.0f);
        if (set == 0) sum = sum3(sum, fill3(s->emission));
        if (set > 0) casting &= casting - 1;
        sum = cut(sum);
        lanes_store(out, sum.x), lanes_store(out + 16, sum.y), lanes_store(out + 32, sum.z);
    }
}

/// The colours at the crossings of a block, lit when first asked for.
static const float *block_colours(sac_renderer *r, const solid *s, int column, int row)
{
    int32_t *number = &r->block_numbers[s->block_table + row * s->block_columns + column];
    size_t floats = (size_t)r->sets * 48;
    if (*number < 0)
    {
        *number = r->block_count++;
        light_block(r->grid_colours + (size_t)*number * floats, r, s, column, row);
    }
    return r->grid_colours + (size_t)*number * floats;
}

// Finds the cell of x along one axis, and how far in it x is, 0..1.
// A grid begins and ends with a cell of width `pad`, which may be none; all others are `step` wide.
static words find_cell(lanes *part, const sac_plane_grid *g, float size, lanes x)
{
    lanes zero = lanes_set(0.0f), from = lanes_sub(lanes_add(x, lanes_set(size)), lanes_set(g->pad));
    lanes cell = lanes_add(lanes_floor(lanes_mul(from, lanes_set(1.0f / g->step))), lanes_set(1.0f));
    cell = lanes_min(lanes_max(cell, zero), lanes_set((float)(g->cells - 1)));
    mask first = lanes_less(cell, lanes_set(0.5f)), last = lanes_less(lanes_set((float)g->cells - 1.5f), cell);
    lanes start = lanes_mul(lanes_sub(cell, lanes_set(1.0f)), lanes_set(g->step));
    float pad = g->pad > 0.0f ? 1.0f / g->pad : 1.0f;
    lanes inverse = lanes_choose(mask_or(first, last), lanes_set(pad), lanes_set(1.0f / g->step));
    start = lanes_choose(first, lanes_set(-g->pad), start);
    *part = lanes_clamp(lanes_mul(lanes_sub(from, start), inverse));
    return words_truncate(cell);
}

/// Which triangle of its grid each lane is on.
typedef struct grid_place
{
    lanes x, y;     ///< within the cell
    words triangle; ///< row 2^16 + column 2, + 1 beyond the cell's diagonal
} grid_place;

static grid_place find_triangle(const sac_plane_grid grid[2], const float size[2], lanes x, lanes y)
{
    grid_place place;
    words column = find_cell(&place.x, &grid[0], size[0], x);
    words row = find_cell(&place.y, &grid[1], size[1], y);
    words cell = words_add(words_shift_left(row, 15), column);
    mask beyond = lanes_less(lanes_set(1.0f), lanes_add(place.x, place.y));
    place.triangle = words_add(words_shift_left(cell, 1), words_choose(beyond, words_set(1), words_set(0)));
    return place;
}

// Interpolates linearly over the triangle. From colours[corner] on lie those of the crossings (x0, y0), (x1, y0), (x0,
// y1), (x1, y1).
static lanes across(const float *colours, int corner, bool beyond, lanes x, lanes y)
{
    float c00 = colours[corner], c10 = colours[corner + 1], c01 = colours[corner + 4], c11 = colours[corner + 5];
    float start = beyond ? c10 + c01 - c11 : c00, dx = beyond ? c11 - c01 : c10 - c00,
          dy = beyond ? c11 - c10 : c01 - c00;
    return lanes_add(lanes_set(start), lanes_add(lanes_mul(lanes_set(dx), x), lanes_mul(lanes_set(dy), y)));
}

/// The plane's light in each set, cut to 1.
static void light_grid(lanes3 *sets, sac_renderer *r, const solid *s, lanes x, lanes y, mask live)
{
    grid_place place = find_triangle(s->grid, s->size, x, y);
    int32_t numbers[16];
    words_store(numbers, place.triangle);
    for (int set = 0; set < r->sets; set++) sets[set] = no_light();
    while (mask_any(live))
    {
        int triangle = numbers[__builtin_ctz(mask_bits(live))], column = (triangle & 0xffff) >> 1, row = triangle >> 16;
        mask here = mask_and(live, words_equal(place.triangle, words_set(triangle)));
        const float *colours = block_colours(r, s, column / GRID_CELLS, row / GRID_CELLS);
        int corner = row % GRID_CELLS * 4 + column % GRID_CELLS;
        for (int set = 0; set < r->sets; set++, colours += 48)
        {
            lanes3 c = {across(colours, corner, triangle & 1, place.x, place.y),
                        across(colours + 16, corner, triangle & 1, place.x, place.y),
                        across(colours + 32, corner, triangle & 1, place.x, place.y)};
            sets[set] = choose3(here, c, sets[set]);
        }
        live = mask_without(live, here);
    }
}
