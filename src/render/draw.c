#include <math.h>
#include <string.h>

#include "render/shading.h"
#include "render/sky.h"

// One picture: tiles of packets of sixteen pixels, four by four. A packet goes from rays to bytes at once. Compiled
// once a CPU level.

sac_draw_fn SAC_LEVEL_NAME(sac_draw);

enum
{
    NOTHING = -1
};

// What is computed of one packet.
typedef struct outcome
{
    lanes3 colour; // 0..1
    lanes depth;
    words solid;
    words key; // with antialias: differs where an edge is between two pixels
} outcome;

static bool within(const render_rect *rect, const int box[4])
{
    return rect->left < box[2] && rect->right > box[0] && rect->top < box[3] && rect->bottom > box[1];
}

static meeting trace(const sac_renderer *r, const packet *k, const int *list, int count, bool mirrored, lanes near,
                     mask live)
{
    meeting met = {.t = lanes_set(r->far), .solid = words_set(NOTHING), .triangle = {0}};
    for (int i = 0; i < count; i++)
    {
        const solid *s = &r->solids[list[i]];
        if (!within(mirrored ? &s->mirror_rect : &s->rect, k->box)) continue;
        look_at(&met, r, list[i], mirrored ? &s->mirror : &s->eye, k->x, k->y, near, live);
    }
    return met;
}

// --- what is in the mirror, and what is looked through

static lanes3 blend(lanes3 under, lanes3 over, lanes alpha)
{
    return (lanes3){lanes_mul_add(lanes_sub(over.x, under.x), alpha, under.x),
                    lanes_mul_add(lanes_sub(over.y, under.y), alpha, under.y),
                    lanes_mul_add(lanes_sub(over.z, under.z), alpha, under.z)};
}

// Two pixels have the same key where they show the same things one behind the other.
static words add_key(words key, mask here, words number)
{
    words next = words_add(words_mul(key, words_set(31)), words_add(number, words_set(1)));
    return words_choose(here, next, key);
}

// Lays a see-through solid over a colour where it is nearer than `far`.
static lanes3 look_through(const sac_renderer *r, const packet *k, int number, bool mirrored, float gain, lanes near,
                           lanes far, lanes3 colour, mask live, words *key)
{
    const solid *s = &r->solids[number];
    const render_fan *fan = mirrored ? &s->mirror : &s->eye;
    meeting met = {.t = far, .solid = words_set(NOTHING), .triangle = {0}};
    look_at(&met, r, number, fan, k->x, k->y, near, live);
    mask here = mask_and(live, words_equal(met.solid, words_set(number)));
    if (!mask_any(here)) return colour;
    *key = add_key(*key, here, met.solid);
    spot at = find_spot(s, fan, k, &met, here);
    lanes alpha = lanes_choose(here, lanes_set(s->alpha), lanes_set(0.0f));
    return blend(colour, cut(shade_plainly(r, s, &at, mirrored, gain, here)), alpha);
}

static lanes3 mirror_at(sac_renderer *r, const packet *k, lanes mirror_t, mask live, words *key)
{
    meeting met = trace(r, k, k->mirrored, k->mirrored_count, true, mirror_t, live);
    lanes3 colour = no_light();
    mask left = mask_without(live, words_equal(met.solid, words_set(NOTHING)));
    *key = add_key(*key, live, met.solid);
    int32_t numbers[16];
    words_store(numbers, met.solid);
    while (mask_any(left))
    {
        int number = numbers[__builtin_ctz(mask_bits(left))];
        mask here = mask_and(left, words_equal(met.solid, words_set(number)));
        spot at = find_spot(&r->solids[number], &r->solids[number].mirror, k, &met, here);
        colour = choose3(here, cut(shade_plainly(r, &r->solids[number], &at, true, r->reflectance, here)), colour);
        left = mask_without(left, here);
    }
    // Solids that can be looked through are laid over twice, as for the eye.
    for (int i = 0; i < 2 * r->clear_count; i++)
    {
        int number = r->clear[i < r->clear_count ? i : 2 * r->clear_count - 1 - i];
        if (number == r->mirror || !within(&r->solids[number].mirror_rect, k->box)) continue;
        colour = look_through(r, k, number, true, r->reflectance, mirror_t, met.t, colour, live, key);
    }
    return choose3(live, colour, no_light());
}

// Only the plane of a mirror, or the upper face of its box, reflects.
static mask mirror_part(const sac_renderer *r, const packet *k, const meeting *met, mask here)
{
    const solid *s = &r->solids[r->mirror];
    if (s->shape != SAC_SHAPE_BOX) return here;
    lanes t = lanes_sub(met->t, lanes_set(s->eye.shift));
    lanes z = lanes_add(fan_lane(s->eye.p, 2, k->x, k->y), lanes_mul(t, fan_lane(s->eye.d, 2, k->x, k->y)));
    return mask_and(here, lanes_at_most(lanes_set(s->size[2] * 0.9999f), z));
}

// Numbers the face of a box, 0..5.
static words face_of(const solid *s, const packet *k, lanes t)
{
    t = lanes_sub(t, lanes_set(s->eye.shift));
    lanes3 n = box_normal(s, along(fan_lanes(s->eye.p, k->x, k->y), t, fan_lanes(s->eye.d, k->x, k->y)));
    return words_truncate(lanes_add(lanes_add(n.x, lanes_mul(n.y, lanes_set(2.0f))),
                                    lanes_add(lanes_mul(n.z, lanes_set(4.0f)), lanes_set(8.0f))));
}

// --- a packet

// What the rays meet, and what of it the sky does not hide. `seen` is what was met, the sky put aside.
static meeting meet_packet(const sac_renderer *r, const packet *k, words *seen)
{
    meeting met = trace(r, k, k->solids, k->solid_count, false, lanes_set(r->near), k->live);
    *seen = met.solid;
    if (mask_any(mask_and(lanes_less(lanes_set(r->sky_near), met.t), lanes_less(met.t, lanes_set(r->far)))))
    {
        mask hidden = behind_sky(r, k, met.t);
        met.solid = words_choose(hidden, words_set(NOTHING), met.solid);
        met.t = lanes_choose(hidden, lanes_set(r->far), met.t);
    }
    return met;
}

static outcome draw_packet(sac_renderer *r, const packet *k)
{
    words seen;
    meeting met = meet_packet(r, k, &seen);
    int32_t numbers[16];
    words_store(numbers, met.solid);
    mask missed = mask_and(k->live, words_equal(met.solid, words_set(NOTHING))), left = mask_without(k->live, missed);
    lanes3 colour = mask_any(missed) ? from_bytes(sky_at(r, k, mask_bits(missed))) : no_light();
    words key = met.solid;
    while (mask_any(left))
    {
        int number = numbers[__builtin_ctz(mask_bits(left))];
        mask here = mask_and(left, words_equal(met.solid, words_set(number)));
        lanes3 own = shade(r, k, number, &met, here);
        if (r->keys && r->solids[number].shape == SAC_SHAPE_BOX)
            key = add_key(key, here, face_of(&r->solids[number], k, met.t));
        if (number == r->mirror)
        {
            mask mirror = mirror_part(r, k, &met, here);
            if (mask_any(mirror)) own = sum3(own, mirror_at(r, k, met.t, mirror, &key));
        }
        colour = choose3(here, cut(own), colour);
        left = mask_without(left, here);
    }
    if (r->haze.on) colour = add_haze(r, k, met.t, colour);
    for (int i = 0; i < 2 * k->clear_count; i++)
    {
        int number = k->clear[i < k->clear_count ? i : 2 * k->clear_count - 1 - i];
        colour = look_through(r, k, number, false, 1.0f, lanes_set(r->near), met.t, colour, k->live, &key);
    }
    return (outcome){colour, met.t, seen, key};
}

// --- writing

static words to_bytes(lanes3 colour)
{
    lanes full = lanes_set(255.0f);
    words red = words_round(lanes_mul(lanes_clamp(colour.x), full)),
          green = words_round(lanes_mul(lanes_clamp(colour.y), full));
    words blue = words_round(lanes_mul(lanes_clamp(colour.z), full));
    return words_or(red, words_or(words_shift_left(green, 8), words_shift_left(blue, 16)));
}

static void write_rgb(const sac_renderer *r, uint8_t *rgb, int column, int row, words bytes)
{
    int columns = r->def.width - column, rows = r->def.height - row;
    size_t pitch = (size_t)r->def.width * 3;
    uint8_t *out = rgb + (size_t)row * pitch + (size_t)column * 3, corner[48];
    if (columns >= 4 && rows >= 4)
    {
        words_store_rgb(out, pitch, bytes);
        return;
    }
    words_store_rgb(corner, 12, bytes);
    for (int y = 0; y < rows && y < 4; y++)
        memcpy(out + (size_t)y * pitch, corner + 12 * y, columns < 4 ? (size_t)columns * 3 : 12);
}

// Finds the nearest of all solids with an id, whether they can be looked through or not.
static words find_ids(const sac_renderer *r, const packet *k, const outcome *made)
{
    int32_t ids[16], numbers[16];
    meeting met = {.t = made->depth, .solid = made->solid, .triangle = {0}};
    for (int i = 0; i < k->clear_count; i++)
        if (r->scene->geoms[r->solids[k->clear[i]].geom].id >= 0)
            look_at(&met, r, k->clear[i], &r->solids[k->clear[i]].eye, k->x, k->y, lanes_set(r->near), k->live);
    words_store(numbers, met.solid);
    for (int l = 0; l < 16; l++) ids[l] = numbers[l] < 0 ? -1 : r->scene->geoms[r->solids[numbers[l]].geom].id;
    return words_load(ids);
}

static void write_numbers(const sac_renderer *r, void *out, int column, int row, const int32_t numbers[16])
{
    int width = r->def.width, height = r->def.height;
    for (int i = 0; i < 16; i++)
    {
        int x = column + i % 4, y = row + i / 4;
        if (x >= width || y >= height) continue;
        memcpy((uint8_t *)out + ((size_t)y * (size_t)width + (size_t)x) * 4, &numbers[i], 4);
    }
}

// --- tiles

static int list_within(const sac_renderer *r, int *out, const int *from, int count, const int box[4], bool mirrored)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        const solid *s = &r->solids[from[i]];
        if (within(mirrored ? &s->mirror_rect : &s->rect, box)) out[kept++] = from[i];
    }
    return kept;
}

// Lists the solids that the rays of a tile may meet.
static packet list_tile(sac_renderer *r, int row_count, const int box[4])
{
    packet k = {.solids = r->tile_list, .clear = r->tile_clear, .mirrored = r->tile_mirror};
    memcpy(k.box, box, sizeof k.box);
    k.solid_count = list_within(r, r->tile_list, r->row_list, row_count, box, false);
    k.clear_count = list_within(r, r->tile_clear, r->clear, r->clear_count, box, false);
    if (r->mirror < 0 || !within(&r->solids[r->mirror].rect, box)) return k;
    for (int i = 0; i < r->solid_count; i++)
    {
        const solid *s = &r->solids[i];
        bool clear = r->scene->geoms[s->geom].rgba[3] < 0.995f || s->behind;
        if (i != r->mirror && !clear && within(&s->mirror_rect, box)) r->tile_mirror[k.mirrored_count++] = i;
    }
    return k;
}

static void place_packet(const sac_renderer *r, packet *k, int column, int row)
{
    static const float columns[16] = {0.5f, 1.5f, 2.5f, 3.5f, 0.5f, 1.5f, 2.5f, 3.5f,
                                      0.5f, 1.5f, 2.5f, 3.5f, 0.5f, 1.5f, 2.5f, 3.5f};
    static const float rows[16] = {0.5f, 0.5f, 0.5f, 0.5f, 1.5f, 1.5f, 1.5f, 1.5f,
                                   2.5f, 2.5f, 2.5f, 2.5f, 3.5f, 3.5f, 3.5f, 3.5f};
    k->x = lanes_add(lanes_load(columns), lanes_set((float)column));
    k->y = lanes_add(lanes_load(rows), lanes_set((float)row));
    k->number = row / 4 * r->packet_columns + column / 4;
    k->box[0] = column, k->box[1] = row, k->box[2] = column + 4, k->box[3] = row + 4;
    k->live = mask_from_bits(0xffff);
    if (k->box[2] > r->def.width || k->box[3] > r->def.height)
        k->live = mask_and(lanes_less(k->x, lanes_set((float)r->def.width)),
                           lanes_less(k->y, lanes_set((float)r->def.height)));
}

static void write_rest(sac_renderer *r, const sac_picture *picture, const packet *k, const outcome *made)
{
    int32_t numbers[16];
    if (picture->depth)
    {
        words_store(numbers, words_cast(made->depth));
        write_numbers(r, picture->depth, k->box[0], k->box[1], numbers);
    }
    if (picture->ids)
    {
        words_store(numbers, find_ids(r, k, made));
        write_numbers(r, picture->ids, k->box[0], k->box[1], numbers);
    }
    if (!r->keys || !picture->rgb) return;
    int32_t *keys = r->keys + (size_t)k->number * 16;
    words_store(keys, made->key);
    r->mixed[k->number] = mask_any(mask_without(k->live, words_equal(made->key, words_set(keys[0]))));
}

static void draw_pixels(sac_renderer *r, const sac_picture *picture, packet *k, int column, int row)
{
    place_packet(r, k, column, row);
    outcome made = {.depth = lanes_set(r->far), .solid = words_set(NOTHING), .key = words_set(NOTHING)};
    if (!picture->rgb) // without a colour to be seen, none is computed
    {
        if (k->solid_count > 0) made.depth = meet_packet(r, k, &made.solid).t;
        write_rest(r, picture, k, &made);
        return;
    }
    words bytes;
    if (k->solid_count == 0 && k->clear_count == 0 && !r->haze.on)
        bytes = sky_of_packet(r, k->number);
    else if (k->bare && shade_bare(&made.colour, r, k))
        bytes = to_bytes(made.colour);
    else
    {
        made = draw_packet(r, k);
        bytes = to_bytes(made.colour);
    }
    write_rgb(r, picture->rgb, column, row, bytes);
    if (picture->depth || picture->ids || r->keys) write_rest(r, picture, k, &made);
}

static void draw_tile(sac_renderer *r, const sac_picture *picture, const packet *tile, const int box[4])
{
    packet k = *tile;
    k.bare = picture->rgb && !picture->depth && !picture->ids && !r->keys && is_bare(r, tile);
    for (int row = box[1]; row < box[3]; row += 4)
        for (int column = box[0]; column < box[2]; column += 4) draw_pixels(r, picture, &k, column, row);
}

typedef void tile_fn(sac_renderer *r, const sac_picture *picture, const packet *tile, const int box[4]);

static void for_tiles(sac_renderer *r, const sac_picture *picture, tile_fn *draw)
{
    int width = r->def.width, height = r->def.height;
    for (int row = 0; row < height; row += TILE_ROWS)
    {
        int box[4] = {0, row, width, row + TILE_ROWS < height ? row + TILE_ROWS : height};
        int count = list_within(r, r->row_list, r->opaque, r->opaque_count, box, false);
        for (int column = 0; column < width; column += TILE_COLUMNS)
        {
            box[0] = column;
            box[2] = column + TILE_COLUMNS < width ? column + TILE_COLUMNS : width;
            packet tile = list_tile(r, count, box);
            draw(r, picture, &tile, box);
        }
    }
}

// --- edges, from four samples a pixel

static int32_t key_at(const sac_renderer *r, int x, int y)
{
    return r->keys[(y / 4 * r->packet_columns + x / 4) * 16 + y % 4 * 4 + x % 4];
}

// Tells whether a neighbour shows something else.
static bool is_edge(const sac_renderer *r, int x, int y)
{
    int32_t own = key_at(r, x, y);
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (u >= 0 && v >= 0 && u < r->def.width && v < r->def.height && key_at(r, u, v) != own) return true;
    return false;
}

// Tells whether something passes that is so thin that it may lie between the pixels' centres.
static bool is_near_thread(const sac_renderer *r, const packet *tile, int x, int y)
{
    for (int i = 0; i < tile->solid_count; i++)
    {
        const solid *s = &r->solids[tile->solids[i]];
        if (s->thread_reach == 0.0f) continue;
        const float *a = s->thread[0], *b = s->thread[1];
        float dx = b[0] - a[0], dy = b[1] - a[1], px = (float)x + 0.5f - a[0], py = (float)y + 0.5f - a[1];
        float square = dx * dx + dy * dy, share = square > 0.0f ? (px * dx + py * dy) / square : 0.0f;
        share = share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
        px -= share * dx, py -= share * dy;
        if (px * px + py * py < s->thread_reach * s->thread_reach) return true;
    }
    return false;
}

// Draws the samples of four pixels at once.
static void draw_samples(sac_renderer *r, const sac_picture *picture, const packet *tile, const int places[4][2],
                         int count)
{
    static const float offsets[4][2] = {{0.375f, 0.875f}, {0.875f, 0.625f}, {0.125f, 0.375f}, {0.625f, 0.125f}};
    float x[16], y[16], channel[3][16];
    packet k = *tile;
    for (int i = 0; i < 16; i++)
    {
        const int *at = places[i / 4 < count ? i / 4 : 0];
        x[i] = (float)at[0] + offsets[i % 4][0];
        y[i] = (float)at[1] + offsets[i % 4][1];
        k.pixels[i] = (at[1] / 4 * r->packet_columns + at[0] / 4) * 16 + at[1] % 4 * 4 + at[0] % 4;
    }
    k.number = NOTHING;
    k.x = lanes_load(x), k.y = lanes_load(y);
    k.live = mask_from_bits((1u << 4 * count) - 1);
    lanes3 colour = cut(draw_packet(r, &k).colour);
    lanes_store(channel[0], colour.x), lanes_store(channel[1], colour.y), lanes_store(channel[2], colour.z);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
        {
            const float *v = &channel[c][4 * i];
            float mean = 255.0f * 0.25f * (v[0] + v[1] + v[2] + v[3]);
            size_t at = (size_t)places[i][1] * (size_t)r->def.width + (size_t)places[i][0];
            picture->rgb[at * 3 + (size_t)c] = (uint8_t)(mean + 0.5f);
        }
}

// Tells whether a packet and those around it show one thing only.
static bool is_even(const sac_renderer *r, int column, int row)
{
    int number = row * r->packet_columns + column;
    for (int v = row - 1; v <= row + 1; v++)
        for (int u = column - 1; u <= column + 1; u++)
        {
            if (u < 0 || v < 0 || u >= r->packet_columns || v >= r->packet_rows) continue;
            int other = v * r->packet_columns + u;
            if (r->mixed[other] || r->keys[other * 16] != r->keys[number * 16]) return false;
        }
    return true;
}

static void draw_edges(sac_renderer *r, const sac_picture *picture, const packet *tile, const int box[4])
{
    int places[4][2], count = 0;
    bool threads = false;
    for (int i = 0; i < tile->solid_count; i++) threads |= r->solids[tile->solids[i]].thread_reach > 0.0f;
    for (int i = 0; i < TILE_ROWS * TILE_COLUMNS; i++)
    {
        // packet by packet
        int x = box[0] + i / 16 % (TILE_COLUMNS / 4) * 4 + i % 4, y = box[1] + i / (4 * TILE_COLUMNS) * 4 + i / 4 % 4;
        if (i % 16 == 0 && !threads && (x >= box[2] || y >= box[3] || is_even(r, x / 4, y / 4)))
        {
            i += 15;
            continue;
        }
        if (x >= box[2] || y >= box[3]) continue;
        if (!is_edge(r, x, y) && !(threads && is_near_thread(r, tile, x, y))) continue;
        places[count][0] = x;
        places[count++][1] = y;
        if (count < 4) continue;
        draw_samples(r, picture, tile, (const int(*)[2])places, count);
        count = 0;
    }
    if (count > 0) draw_samples(r, picture, tile, (const int(*)[2])places, count);
}

void SAC_LEVEL_NAME(sac_draw)(sac_renderer *r, const sac_picture *picture)
{
    for_tiles(r, picture, draw_tile);
    if (r->keys && picture->rgb) for_tiles(r, picture, draw_edges);
}
