#include <float.h>
#include <math.h>
#include <string.h>

#include "env/control/distraction/sky.h"

enum
{
    CHUNK = 64 // pixels at a time: all of a step stays in the first cache
};

// The directions of a row of pixels are start + i step.
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

// Turns a place on a face, -REEL_SIDE / 2 .. REEL_SIDE / 2, into a row or column of the frame.
static inline int inside(float x)
{
    int place = (int)(x + (float)(REEL_SIDE / 2));
    return place < REEL_SIDE - 1 ? place : REEL_SIDE - 1;
}

// Finds the texel that each direction meets, by OpenGL's rules for cubes, with z in place of y and -y in place of z.
static void find_texels(const ray *r, int first, int count, int *restrict index)
{
    for (int i = 0; i < count; i++)
    {
        float t = (float)(first + i);
        float x = r->start[0] + t * r->step[0], y = r->start[1] + t * r->step[1], z = r->start[2] + t * r->step[2];
        float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), flat = ax >= ay ? ax : ay;
        float on_x = copysignf(1, x) * y, on_y = -copysignf(1, y) * x, on_z = -copysignf(1, z) * y;
        float side = ax >= ay ? on_x : on_y;
        float u = az >= flat ? x : side, v = az >= flat ? on_z : -z, major = az >= flat ? az : flat;
        float scale = (float)(REEL_SIDE / 2) / (major + FLT_MIN);
        index[i] = inside(v * scale) * REEL_SIDE + inside(u * scale);
    }
}

// Writes four bytes at once. The last belongs to the next pixel, which is still to be written.
static void cover(const uint32_t *restrict texels, int count, uint8_t *restrict rgb)
{
    for (int i = 0; i + 1 < count; i++) memcpy(rgb + 3 * i, &texels[i], 4);
    memcpy(rgb + 3 * (count - 1), &texels[count - 1], 3);
}

static void blend(const uint32_t *restrict texels, int count, int keep, int through, uint8_t *restrict rgb)
{
    uint8_t sky[3 * CHUNK];
    cover(texels, count, sky);
    for (int i = 0; i < 3 * count; i++)
    {
        int sum = (rgb[i] * keep + sky[i] * through) >> 8;
        rgb[i] = (uint8_t)(sum < 255 ? sum : 255);
    }
}

// Sky and ground come in long stretches, which are painted as such.
static void merge(const sky_picture *p, const uint32_t *restrict texels, const int32_t *restrict ids, int count,
                  uint8_t *restrict rgb)
{
    for (int i = 0; i < count;)
    {
        int sky = i;
        while (i < count && ids[i] < 0) i++;
        if (i > sky) cover(texels + sky, i - sky, rgb + 3 * sky);
        int ground = i;
        while (i < count && ids[i] >= 0 && ids[i] == p->ground) i++;
        if (i > ground) blend(texels + ground, i - ground, p->keep, p->through, rgb + 3 * ground);
        while (i < count && ids[i] >= 0 && ids[i] != p->ground) i++;
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
