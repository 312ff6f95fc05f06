#include <math.h>
#include <string.h>

#include "env/carracing/picture/variant_parts.h"

/// What variants draw over the finished field.

/// A value as the picture's style would have written it, covered in part by a level.
static uint8_t blend(const car_picture *p, uint8_t value, float cover, float level)
{
    return sac_car_byte(p, ((float)value + sac_car_lost(p)) * (1 - cover) + level * cover);
}

// Edges are hard, as in the article's picture, which OpenGL drew without smoothing: pixels whose centre lies in a bar.
static void draw_bars(const car_picture *p, uint8_t *rgb)
{
    int width = (int)(p->left + 75 * p->scale_x + 0.5); // 3 of 40 parts of the scene at each side
    if (width > p->width) width = p->width;
    for (int y = 0; y < p->layers.road.height; y++)
    {
        uint8_t *row = rgb + (size_t)y * (size_t)p->width * 3;
        memset(row, 0, (size_t)width * 3);
        memset(row + (size_t)(p->width - width) * 3, 0, (size_t)width * 3);
    }
}

/// Lay a polygon over the picture. The field's plane, cleared by now, serves as scratch.
static void lay(const car_picture *p, const car_point *corners, int count, const float colour[3], uint8_t *rgb)
{
    const car_plane *plane = &p->layers.field;
    float left = (float)p->width, right = 0;
    for (int i = 0; i < count; i++)
    {
        left = corners[i].x < left ? corners[i].x : left;
        right = corners[i].x > right ? corners[i].x : right;
    }
    if (left < 0) left = 0;
    if (right > (float)p->width) right = (float)p->width;
    sac_car_add_polygon(p, plane, corners, count, 1);
    for (int x = (int)left; (float)x < right; x++)
    {
        float cover = 0;
        for (int y = 0; y < plane->height + CAR_SPARE_ROWS; y++)
        {
            float *cell = &plane->cells[y * plane->stride + x];
            cover += *cell;
            *cell = 0;
            if (cover <= 0.001f || y >= plane->height) continue;
            uint8_t *pixel = rgb + ((size_t)y * (size_t)p->width + (size_t)x) * 3;
            for (int c = 0; c < 3; c++) pixel[c] = blend(p, pixel[c], cover < 1 ? cover : 1, colour[c]);
        }
    }
}

/// In the car's own frame: from 1 unit right of the tail's right end by 20, from its rear corner ahead by 10.
static void draw_blob(const car_picture *p, const car_scene *scene, const car_camera *c, uint8_t *rgb)
{
    static const double x0 = 21, y0 = 7.6, side = 8;
    const float colour[] = {204 - sac_car_lost(p), 0, 0};
    double sine, cosine;
    sac_car_turn(scene->hull.angle, &sine, &cosine);
    const double corners[][2] = {{x0, y0 + side}, {x0 + side, y0 + side}, {x0 + side, y0}, {x0, y0}};
    car_point seen[4];
    for (int i = 0; i < 4; i++)
    {
        double x = corners[i][0], y = corners[i][1];
        seen[i] = sac_car_see(c, cosine * x - sine * y, sine * x + cosine * y);
    }
    lay(p, seen, 4, colour, rgb);
}

/// A hash whose bits serve as one pixel's colours (splitmix64's output function).
static uint64_t scatter(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// Tell whether a pixel is wholly grass. In pictures for people a range of greens counts as grass, so that smooth edges
/// leave no thin lines around squares.
static inline bool is_grass(const uint8_t *pixel, car_style style)
{
    if (style == CAR_STYLE_PEOPLE) return pixel[0] == 102 && pixel[2] == 102 && pixel[1] >= 204 && pixel[1] <= 230;
    return pixel[0] == 100 && pixel[2] == 100 && (pixel[1] == 202 || pixel[1] == 228);
}

/// Replace all pixels that are wholly grass; larger pictures show the same 96 x 96 pixels, enlarged.
static void replace_grass(const car_variant *v, const car_picture *p, const car_scene *scene, uint8_t *rgb)
{
    int step = (int)(scene->time * 50 + 0.5);
    bool shows_clip = v->kind == CAR_VARIANT_VIDEO; // "any" keeps a clip for the episodes that show it
    int frame = shows_clip ? (v->first_frame + step) % v->frame_count : 0;
    const uint8_t *clip = shows_clip ? v->frames + (size_t)frame * CAR_CAMERA_SIDE * CAR_CAMERA_SIDE * 3 : NULL;
    uint64_t key = v->seed + (uint64_t)step * 0xd1342543de82ef95;
    for (int y = 0; y < p->layers.road.height; y++)
    {
        int row = y * CAR_CAMERA_SIDE / p->height;
        for (int x = 0; x < p->width; x++, rgb += 3)
        {
            if (!is_grass(rgb, p->style)) continue;
            int cell = row * CAR_CAMERA_SIDE + x * CAR_CAMERA_SIDE / p->width;
            uint64_t bits = clip ? 0 : scatter(key + (uint64_t)cell * 0x9e3779b97f4a7c15);
            for (int c = 0; c < 3; c++) rgb[c] = clip ? clip[3 * cell + c] : (uint8_t)(bits >> (8 * c + 32));
        }
    }
}

void sac_car_variant_overlay(const car_variant *v, car_picture *p, const car_scene *scene, const car_camera *camera,
                             uint8_t *rgb)
{
    if (!v) return;
    switch (v->kind)
    {
    case CAR_VARIANT_BARS: draw_bars(p, rgb); break;
    case CAR_VARIANT_BLOB: draw_blob(p, scene, camera, rgb); break;
    case CAR_VARIANT_NOISE:
    case CAR_VARIANT_VIDEO: replace_grass(v, p, scene, rgb); break;
    default: break;
    }
}

/// A wave of period 1 between 0 and 1: two parabolas, near to a sine.
static float wave(float x)
{
    x -= floorf(x);
    float half = x < 0.5f ? x : x - 0.5f, bow = 8 * half * (0.5f - half);
    return 0.5f + (x < 0.5f ? bow : -bow);
}

void sac_car_clip_draw(uint8_t *frames, int frame_count)
{
    for (int f = 0; f < frame_count; f++)
        for (int y = 0; y < CAR_CAMERA_SIDE; y++)
            for (int x = 0; x < CAR_CAMERA_SIDE; x++, frames += 3)
            {
                // all waves come round after the last frame
                float t = (float)f / (float)frame_count, u = (float)x / CAR_CAMERA_SIDE, v = (float)y / CAR_CAMERA_SIDE;
                float bend = 0.3f * wave(2 * v + t) + 0.3f * wave(u - 2 * t);
                frames[0] = (uint8_t)(255 * wave(2 * u + bend + 3 * t));
                frames[1] = (uint8_t)(255 * wave(2 * v - bend + t));
                frames[2] = (uint8_t)(255 * wave(u + v + 2 * bend - 2 * t));
            }
}
