#pragma once

#include "render/shading.h"

/// The sky, whose pixels are kept while the view does not turn, and haze. Included by draw.c, once a CPU level.

static void make_sky(sac_renderer *r, int number)
{
    int32_t *out = r->sky_pixels + (size_t)number * 16;
    r->sky_is_there[number] = 1;
    if (!r->sky)
    {
        words_store(out, words_set(0));
        return;
    }
    float x[16], y[16];
    for (int i = 0; i < 16; i++)
    {
        x[i] = (float)(number % r->packet_columns * 4 + i % 4) + 0.5f;
        y[i] = (float)(number / r->packet_columns * 4 + i / 4) + 0.5f;
    }
    // The cube is turned by a quarter about x.
    lanes3 d = fan_lanes(r->view_d, lanes_load(x), lanes_load(y)), turned = {d.x, d.z, lanes_minus(d.y)};
    lanes3 dx = {lanes_set(r->view_d[1][0]), lanes_set(r->view_d[1][2]), lanes_set(-r->view_d[1][1])};
    lanes3 dy = {lanes_set(r->view_d[2][0]), lanes_set(r->view_d[2][2]), lanes_set(-r->view_d[2][1])};
    lanes3 colour = scaled(sample_cube(r->sky, turned, dx, dy), lanes_set(255.0f));
    words green = words_shift_left(words_round(colour.y), 8), blue = words_shift_left(words_round(colour.z), 16);
    words_store(out, words_or(words_round(colour.x), words_or(green, blue)));
}

static lanes3 from_bytes(words bytes)
{
    words low = words_set(255);
    lanes scale = lanes_set(1.0f / 255.0f);
    return (lanes3){lanes_mul(lanes_from_words(words_and(bytes, low)), scale),
                    lanes_mul(lanes_from_words(words_and(words_shift_right(bytes, 8), low)), scale),
                    lanes_mul(lanes_from_words(words_and(words_shift_right(bytes, 16), low)), scale)};
}

static words sky_of_packet(sac_renderer *r, int number)
{
    if (!r->sky_is_there[number]) make_sky(r, number);
    return words_load(r->sky_pixels + (size_t)number * 16);
}

// the sky at sixteen pixels: those of a packet, or of samples, each a packet's number and a place in it
static words sky_at(sac_renderer *r, const packet *k, unsigned live)
{
    if (k->number >= 0) return sky_of_packet(r, k->number);
    int32_t packed[16] = {0};
    for (; live; live &= live - 1)
    {
        int l = __builtin_ctz(live), number = k->pixels[l] / 16;
        if (!r->sky_is_there[number]) make_sky(r, number);
        packed[l] = r->sky_pixels[k->pixels[l]];
    }
    return words_load(packed);
}

// Tells where what was met lies beyond the sky's cylinder.
static mask behind_sky(const sac_renderer *r, const packet *k, lanes t)
{
    lanes limit = lanes_set(r->sky_radius);
    lanes3 d = scaled(fan_lanes(r->view_d, k->x, k->y), t);
    lanes level = lanes_add(lanes_mul(d.x, d.x), lanes_mul(d.y, d.y));
    return mask_or(lanes_less(lanes_mul(limit, limit), level), lanes_less(limit, lanes_abs(d.z)));
}

static lanes3 add_haze(const sac_renderer *r, const packet *k, lanes t, lanes3 colour)
{
    const render_haze *haze = &r->haze;
    lanes3 d = fan_lanes(r->view_d, k->x, k->y), n = fill3(haze->normal);
    lanes zero = lanes_set(0.0f), one = lanes_set(1.0f), down = lanes_minus(dot(d, n)), width = lanes_set(haze->width);
    lanes level = lanes_sqrt(lanes_max(lanes_sub(dot(d, d), lanes_mul(down, down)), lanes_set(1e-12f)));
    lanes slope = lanes_div(down, level);
    lanes q = lanes_div(slope, not_zero(lanes_add(lanes_set(haze->height), lanes_mul(width, slope))));
    lanes up = lanes_sub(one, q), bend = lanes_set(haze->bend);
    lanes alpha = lanes_choose(lanes_less(up, bend), lanes_div(up, bend), lanes_div(q, lanes_sub(one, bend)));
    lanes distance = lanes_mul(lanes_sub(one, lanes_mul(width, q)), lanes_set(haze->radius));
    mask there =
        mask_and(mask_and(lanes_at_most(zero, q), lanes_at_most(q, one)), lanes_less(distance, lanes_mul(t, level)));
    alpha = lanes_choose(there, lanes_clamp(alpha), zero);
    lanes3 rgb = fill3(haze->rgb);
    return (lanes3){lanes_mul_add(lanes_sub(rgb.x, colour.x), alpha, colour.x),
                    lanes_mul_add(lanes_sub(rgb.y, colour.y), alpha, colour.y),
                    lanes_mul_add(lanes_sub(rgb.z, colour.z), alpha, colour.z)};
}
