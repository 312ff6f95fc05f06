#include <math.h>
#include <string.h>

#include "env/control/sky.h"

enum
{
    CHUNK = 64 // pixels at a time: all of a step stays in the first cache
};

// the direction of a row of pixels: start + i step
typedef struct ray
{
    float start[3], step[3];
} ray;

static ray row_of(const sac_render_view *v, int row, int height, int width)
{
    float right[3], up = v->top - ((float)row + 0.5f) * (v->top - v->bottom) / (float)height;
    for (int i = 0; i < 3; i++)
        right[i] = v->forward[(i + 1) % 3] * v->up[(i + 2) % 3] - v->forward[(i + 2) % 3] * v->up[(i + 1) % 3];
    float pitch = (v->right - v->left) / (float)width;
    ray r;
    for (int i = 0; i < 3; i++)
    {
        r.start[i] = v->forward[i] + up * v->up[i] + (v->left + 0.5f * pitch) * right[i];
        r.step[i] = pitch * right[i];
    }
    return r;
}

// a place on a face, -REEL_SIDE / 2 .. REEL_SIDE / 2, as a row or column of the frame
static inline int inside(float x)
{
    x += (float)(REEL_SIDE / 2);
    x = x < (float)(REEL_SIDE - 1) ? x : (float)(REEL_SIDE - 1);
    return (int)(x > 0 ? x : 0);
}

// which texel each direction meets, by OpenGL's rules for cubes with z in place of y and -y in place of z
static void find_texels(const ray *r, int first, int count, int *restrict index)
{
    for (int i = 0; i < count; i++)
    {
        float t = (float)(first + i);
        float x = r->start[0] + t * r->step[0], y = r->start[1] + t * r->step[1], z = r->start[2] + t * r->step[2];
        float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
        int vertical = (az >= ax) & (az >= ay), along_x = ax >= ay;
        float side = along_x ? (x > 0 ? y : -y) : (y < 0 ? x : -x);
        float u = vertical ? x : side;
        float v = vertical ? (z > 0 ? -y : y) : -z;
        float major = vertical ? az : along_x ? ax : ay;
        float scale = (float)(REEL_SIDE / 2) / major;
        index[i] = inside(v * scale) * REEL_SIDE + inside(u * scale);
    }
}

// some of the sky on top of a pixel's colour
static void shine_through(uint8_t *pixel, uint32_t texel, int part)
{
    for (int c = 0; c < 3; c++)
    {
        int sum = pixel[c] + ((int)(texel >> (8 * c) & 255) * part >> 8);
        pixel[c] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

static void merge(const sky_picture *p, const uint32_t *restrict texels, const int32_t *restrict ids, int count,
                  uint8_t *restrict rgb)
{
    for (int i = 0; i < count; i++)
    {
        uint32_t texel = texels[i];
        // four bytes at once where the next pixel is still to be written
        if (ids[i] < 0) memcpy(rgb + 3 * i, &texel, i + 1 < count && ids[i + 1] < 0 ? 4 : 3);
        if (ids[i] >= 0 && ids[i] == p->ground) shine_through(rgb + 3 * i, texel, p->through);
    }
}

sky_fn SAC_LEVEL_NAME(sac_sky);

void SAC_LEVEL_NAME(sac_sky)(const sky_picture *p)
{
    for (int row = 0; row < p->height; row++)
    {
        ray r = row_of(p->view, row, p->height, p->width);
        for (int first = 0; first < p->width; first += CHUNK)
        {
            int index[CHUNK];
            uint32_t texels[CHUNK];
            int count = p->width - first < CHUNK ? p->width - first : CHUNK;
            size_t pixel = (size_t)row * (size_t)p->width + (size_t)first;
            find_texels(&r, first, count, index);
            for (int i = 0; i < count; i++) texels[i] = p->texels[index[i]];
            merge(p, texels, p->ids + pixel, count, p->rgb + 3 * pixel);
        }
    }
}
