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
    return scaled(v, quotient(fill(1.0f), root(most(dot(v, v), fill(1e-30f)))));
}

LANES lanes3 no_light(void)
{
    lanes zero = fill(0.0f);
    return (lanes3){zero, zero, zero};
}

LANES void add_light(lanes3 *sum, const float colour[3], lanes amount)
{
    sum->x = add(sum->x, mul(fill(colour[0]), amount));
    sum->y = add(sum->y, mul(fill(colour[1]), amount));
    sum->z = add(sum->z, mul(fill(colour[2]), amount));
}

/// How much of a spot's light arrives, with its direction from the point; `towards` is then of unit length.
static lanes spot_share(const render_light *shared, const solid_light *light, lanes3 point, lanes3 *towards)
{
    lanes3 at = fill3(light->position);
    lanes3 way = {sub(at.x, point.x), sub(at.y, point.y), sub(at.z, point.z)};
    lanes square = most(dot(way, way), fill(1e-30f)), distance = root(square), one = fill(1.0f);
    *towards = scaled(way, quotient(one, distance));
    lanes share = one;
    const float *a = shared->attenuation;
    if (a[0] != 1.0f || a[1] != 0.0f || a[2] != 0.0f)
        share =
            quotient(one, most(add(fill(a[0]), add(mul(fill(a[1]), distance), mul(fill(a[2]), square))), fill(1e-9f)));
    if (shared->cutoff <= -1.0f) return share;
    lanes cosine = negative(dot(*towards, fill3(light->direction)));
    mask inside = at_most(fill(shared->cutoff), cosine);
    if (shared->exponent > 0.0f) share = mul(share, power_lanes(unit(cosine), shared->exponent));
    return choose(inside, share, fill(0.0f));
}

/// Add one light. @return where the surface faces it
static mask light_by(lanes3 *sum, const sac_renderer *r, const solid *s, int number, const surface *at, float gain)
{
    const render_light *shared = &r->lights[number];
    const solid_light *light = &s->lights[number];
    lanes3 towards = {fill(-light->direction[0]), fill(-light->direction[1]), fill(-light->direction[2])};
    lanes share = fill(1.0f), zero = fill(0.0f);
    if (!shared->directional) share = spot_share(shared, light, at->point, &towards);
    lanes facing = dot(at->normal, towards);
    mask lit = below(zero, facing);
    lanes amount = mul(share, fill(gain));
    add_light(sum, light->ambient, amount);
    add_light(sum, light->diffuse, mul(amount, most(facing, zero)));
    if (s->specular > 0.0f && any(lit))
    {
        // n.(l + v) / |l + v|, both of unit length
        lanes length = root(most(mul_add(fill(2.0f), dot(towards, at->view), fill(2.0f)), fill(1e-12f)));
        lanes half = unit(quotient(add(facing, dot(at->normal, at->view)), length));
        add_light(sum, light->specular, choose(lit, mul(share, power_lanes(half, s->power)), zero));
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

LANES lanes3 cut(lanes3 colour)
{
    return (lanes3){unit(colour.x), unit(colour.y), unit(colour.z)};
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
    lanes zero = fill(0.0f), one = fill(1.0f);
    surface at = {{load(x), load(y), zero}, {zero, zero, one}, {zero, zero, zero}};
    lanes3 eye = fill3(s->eye_point);
    at.view = to_unit((lanes3){sub(eye.x, at.point.x), sub(eye.y, at.point.y), sub(eye.z, at.point.z)});
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
        store(out, sum.x), store(out + 16, sum.y), store(out + 32, sum.z);
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

// the cell of x along one axis and how far in it is, 0..1
static ints find_cell(lanes *part, const sac_plane_grid *g, float size, lanes x)
{
    lanes zero = fill(0.0f), from = sub(add(x, fill(size)), fill(g->pad));
    lanes cell = add(whole(mul(from, fill(1.0f / g->step))), fill(1.0f));
    cell = least(most(cell, zero), fill((float)(g->cells - 1)));
    mask first = below(cell, fill(0.5f)), last = below(fill((float)g->cells - 1.5f), cell);
    lanes start = mul(sub(cell, fill(1.0f)), fill(g->step));
    float pad = g->pad > 0.0f ? 1.0f / g->pad : 1.0f;
    lanes inverse = choose(either(first, last), fill(pad), fill(1.0f / g->step));
    start = choose(first, fill(-g->pad), start);
    *part = unit(mul(sub(from, start), inverse));
    return truncated(cell);
}

/// Which triangle of its grid each lane is on.
typedef struct grid_place
{
    lanes x, y;    ///< within the cell
    ints triangle; ///< row 2^16 + column 2, + 1 beyond the cell's diagonal
} grid_place;

static grid_place find_triangle(const solid *s, lanes x, lanes y)
{
    grid_place place;
    ints column = find_cell(&place.x, &s->grid[0], s->size[0], x);
    ints row = find_cell(&place.y, &s->grid[1], s->size[1], y);
    ints cell = int_add(shift_left(row, 15), column);
    mask beyond = below(fill(1.0f), add(place.x, place.y));
    place.triangle = int_add(shift_left(cell, 1), int_choose(beyond, int_fill(1), int_fill(0)));
    return place;
}

// linear over the triangle: colours[corner] at crossings (x0, y0), (x1, y0), (x0, y1), (x1, y1)
static lanes across(const float *colours, int corner, bool beyond, lanes x, lanes y)
{
    float c00 = colours[corner], c10 = colours[corner + 1], c01 = colours[corner + 4], c11 = colours[corner + 5];
    float start = beyond ? c10 + c01 - c11 : c00, dx = beyond ? c11 - c01 : c10 - c00,
          dy = beyond ? c11 - c10 : c01 - c00;
    return add(fill(start), add(mul(fill(dx), x), mul(fill(dy), y)));
}

/// The plane's light in each set, cut to 1.
static void light_grid(lanes3 *sets, sac_renderer *r, const solid *s, lanes x, lanes y, mask live)
{
    grid_place place = find_triangle(s, x, y);
    int32_t numbers[16];
    int_store(numbers, place.triangle);
    for (int set = 0; set < r->sets; set++) sets[set] = no_light();
    while (any(live))
    {
        int triangle = numbers[__builtin_ctz(bits(live))], column = (triangle & 0xffff) >> 1, row = triangle >> 16;
        mask here = both(live, same(place.triangle, int_fill(triangle)));
        const float *colours = block_colours(r, s, column / GRID_CELLS, row / GRID_CELLS);
        int corner = row % GRID_CELLS * 4 + column % GRID_CELLS;
        for (int set = 0; set < r->sets; set++, colours += 48)
        {
            lanes3 c = {across(colours, corner, triangle & 1, place.x, place.y),
                        across(colours + 16, corner, triangle & 1, place.x, place.y),
                        across(colours + 32, corner, triangle & 1, place.x, place.y)};
            sets[set] = choose3(here, c, sets[set]);
        }
        live = without(live, here);
    }
}
