#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "render/assets.h"

// A face of a level, [height, width, 3].
typedef struct image
{
    int width, height;
    uint8_t *pixels;
} image;

static const uint8_t *texel(const image *m, int x, int y)
{
    x = x < 0 ? 0 : x < m->width ? x : m->width - 1;
    y = y < 0 ? 0 : y < m->height ? y : m->height - 1;
    return m->pixels + ((size_t)y * (size_t)m->width + (size_t)x) * 3;
}

// Makes the next mipmap in place: at the centre of each of its texels, the bilinear mean of four of this one's.
static void halve(image *m)
{
    image next = {m->width > 1 ? m->width / 2 : 1, m->height > 1 ? m->height / 2 : 1, m->pixels};
    float step_x = (float)m->width / (float)next.width, step_y = (float)m->height / (float)next.height;
    for (int y = 0; y < next.height; y++)
        for (int x = 0; x < next.width; x++)
        {
            float u = ((float)x + 0.5f) * step_x - 0.5f, v = ((float)y + 0.5f) * step_y - 0.5f;
            int left = (int)floorf(u), top = (int)floorf(v);
            float fx = u - (float)left, fy = v - (float)top;
            const uint8_t *a = texel(m, left, top), *b = texel(m, left + 1, top);
            const uint8_t *c = texel(m, left, top + 1), *d = texel(m, left + 1, top + 1);
            uint8_t mixed[3];
            for (int i = 0; i < 3; i++)
            {
                float upper = (float)a[i] + fx * (float)(b[i] - a[i]), lower = (float)c[i] + fx * (float)(d[i] - c[i]);
                mixed[i] = (uint8_t)(upper + fy * (lower - upper) + 0.5f);
            }
            // What is written lies behind what is still to be read.
            memcpy(next.pixels + ((size_t)y * (size_t)next.width + (size_t)x) * 3, mixed, 3);
        }
    m->width = next.width;
    m->height = next.height;
}

// A block holds the four texels that a bilinear sample mixes, channel by channel, so that a sample is one load.
static void pack(uint8_t *blocks, const image *m, bool cube)
{
    for (int y = 0; y < m->height; y++)
        for (int x = 0; x < m->width; x++, blocks += 16)
        {
            // A picture goes on at its other side. A cube's face stops at its edge.
            int right = x + 1 < m->width || cube ? x + 1 : 0, down = y + 1 < m->height || cube ? y + 1 : 0;
            const uint8_t *taps[4] = {texel(m, x, y), texel(m, right, y), texel(m, x, down), texel(m, right, down)};
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 4; k++) blocks[i * 4 + k] = taps[k][i];
        }
}

static void take_face(image *m, const sac_texture *t, int face)
{
    m->width = t->width;
    m->height = t->cube ? t->width : t->height;
    size_t count = (size_t)m->width * (size_t)m->height, channels = (size_t)t->channels;
    const uint8_t *from = t->pixels + (size_t)face * count * channels;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) m->pixels[i * 3 + c] = from[i * channels + (channels < 3 ? 0 : c)];
}

// Computes the sizes of all levels and returns the number of blocks.
// Levels halve down to one texel; those beyond repeat the last, so that a level need not be checked when it is read.
static size_t plan_levels(render_texture *out, const sac_texture *t)
{
    size_t total = 0;
    int width = t->width, height = t->cube ? t->width : t->height;
    for (out->levels = 1;; out->levels++)
    {
        int level = out->levels - 1;
        size_t face = (size_t)width * (size_t)height;
        out->width[level] = (float)width;
        out->height[level] = (float)height;
        out->columns[level] = width;
        out->face[level] = (int32_t)face;
        out->first[level] = (int32_t)total;
        total += face * (t->cube ? 6 : 1);
        if (width == 1 && height == 1) break;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    for (int level = out->levels; level < TEXTURE_LEVELS; level++)
    {
        int last = out->levels - 1;
        out->width[level] = out->width[last];
        out->height[level] = out->height[last];
        out->columns[level] = out->columns[last];
        out->face[level] = out->face[last];
        out->first[level] = out->first[last];
    }
    return total;
}

sac_status sac_render_texture_create(render_texture *out, const sac_texture *t)
{
    const int most = 16384;
    if (t->width < 1 || t->width > most || t->height < 1 || (!t->cube && t->height > most))
        return sac_fail(SAC_ERROR_ARGUMENT, "width %d and height %d, expected 1..%d", t->width, t->height, most);
    if (t->channels != 1 && t->channels != 3 && t->channels != 4)
        return sac_fail(SAC_ERROR_ARGUMENT, "%d channels, expected 1, 3 or 4", t->channels);
    if (!t->pixels) return sac_fail(SAC_ERROR_ARGUMENT, "no pixels");
    *out = (render_texture){.cube = t->cube};
    size_t total = plan_levels(out, t);
    if (total > INT32_MAX / 2) return sac_fail(SAC_ERROR_ARGUMENT, "%zu texels are too many", total);
    image face = {.pixels = sac_alloc_array((size_t)out->face[0], 3)};
    out->blocks = sac_alloc_array(total, 16);
    if (!face.pixels || !out->blocks)
    {
        sac_free(face.pixels);
        sac_free(out->blocks);
        out->blocks = NULL;
        return sac_fail_memory("a texture");
    }
    for (int i = 0; i < (t->cube ? 6 : 1); i++)
    {
        take_face(&face, t, i);
        for (int level = 0; level < out->levels; level++)
        {
            if (level > 0) halve(&face);
            size_t at = (size_t)out->first[level] + (size_t)i * (size_t)out->face[level];
            pack(out->blocks + at * 16, &face, t->cube);
        }
    }
    sac_free(face.pixels);
    return SAC_OK;
}
