#pragma once

#include "render/shading.h"

/// The sky, whose pixels are kept while the view does not turn, and haze. Included by draw.c, once a CPU level.

static void make_sky(sac_renderer *r, int number)
{
    int32_t *out = r->sky_pixels + (size_t)number * 16;
    r->sky_is_there[number] = 1;
    if (!r->sky)
    {
        int_store(out, int_fill(0));
        return;
    }
    float x[16], y[16];
    for (int i = 0; i < 16; i++)
    {
        x[i] = (float)(number % r->packet_columns * 4 + i % 4) + 0.5f;
        y[i] = (float)(number / r->packet_columns * 4 + i / 4) + 0.5f;
    }
    // the cube is turned by a quarter about x
    lanes3 d = fan_lanes(r->view_d, load(x), load(y)), turned = {d.x, d.z, negative(d.y)};
    lanes3 dx = {fill(r->view_d[1][0]), fill(r->view_d[1][2]), fill(-r->view_d[1][1])};
    lanes3 dy = {fill(r->view_d[2][0]), fill(r->view_d[2][2]), fill(-r->view_d[2][1])};
    lanes3 colour = scaled(sample_cube(r->sky, turned, dx, dy), fill(255.0f));
    ints green = shift_left(rounded(colour.y), 8), blue = shift_left(rounded(colour.z), 16);
    int_store(out, int_or(rounded(colour.x), int_or(green, blue)));
}

static lanes3 from_bytes(ints bytes)
{
    ints low = int_fill(255);
    lanes scale = fill(1.0f / 255.0f);
    return (lanes3){mul(to_lanes(int_and(bytes, low)), scale),
                    mul(to_lanes(int_and(shift_right(bytes, 8), low)), scale),
                    mul(to_lanes(int_and(shift_right(bytes, 16), low)), scale)};
}

static ints sky_of_packet(sac_renderer *r, int number)
{
    if (!r->sky_is_there[number]) make_sky(r, number);
    return int_load(r->sky_pixels + (size_t)number * 16);
}

// the sky at sixteen pixels: those of a packet, or of samples, each a packet's number and a place in it
static ints sky_at(sac_renderer *r, const packet *k, unsigned live)
{
    if (k->number >= 0) return sky_of_packet(r, k->number);
    int32_t packed[16] = {0};
    for (; live; live &= live - 1)
    {
        int l = __builtin_ctz(live), number = k->pixels[l] / 16;
        if (!r->sky_is_there[number]) make_sky(r, number);
        packed[l] = r->sky_pixels[k->pixels[l]];
    }
    return int_load(packed);
}

// where the sky's cylinder is nearer
static mask behind_sky(const sac_renderer *r, const packet *k, lanes t)
{
    lanes limit = fill(r->sky_radius);
    lanes3 d = scaled(fan_lanes(r->view_d, k->x, k->y), t);
    lanes level = add(mul(d.x, d.x), mul(d.y, d.y));
    return either(below(mul(limit, limit), level), below(limit, magnitude(d.z)));
}

static lanes3 add_haze(const sac_renderer *r, const packet *k, lanes t, lanes3 colour)
{
    const render_haze *haze = &r->haze;
    lanes3 d = fan_lanes(r->view_d, k->x, k->y), n = fill3(haze->normal);
    lanes zero = fill(0.0f), one = fill(1.0f), down = negative(dot(d, n)), width = fill(haze->width);
    lanes level = root(most(sub(dot(d, d), mul(down, down)), fill(1e-12f)));
    lanes slope = quotient(down, level);
    lanes q = quotient(slope, not_zero(add(fill(haze->height), mul(width, slope))));
    lanes up = sub(one, q), bend = fill(haze->bend);
    lanes alpha = choose(below(up, bend), quotient(up, bend), quotient(q, sub(one, bend)));
    lanes distance = mul(sub(one, mul(width, q)), fill(haze->radius));
    mask there = both(both(at_most(zero, q), at_most(q, one)), below(distance, mul(t, level)));
    alpha = choose(there, unit(alpha), zero);
    lanes3 rgb = fill3(haze->rgb);
    return (lanes3){mul_add(sub(rgb.x, colour.x), alpha, colour.x), mul_add(sub(rgb.y, colour.y), alpha, colour.y),
                    mul_add(sub(rgb.z, colour.z), alpha, colour.z)};
}
