#include "show/picture/canvas.h"

#include <string.h>

static int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static uint8_t blend(uint8_t below, uint8_t above, float opacity)
{
    if (opacity >= 1) return above;
    return (uint8_t)((float)below + ((float)above - (float)below) * opacity + 0.5f);
}

void sac_canvas_fill(const canvas *target, box where, ink color, float opacity)
{
    int x0 = clamp(where.x, 0, target->width), x1 = clamp(where.x + where.width, 0, target->width);
    int y0 = clamp(where.y, 0, target->height), y1 = clamp(where.y + where.height, 0, target->height);
    for (int y = y0; y < y1; y++)
    {
        uint8_t *pixel = target->rgb + ((size_t)y * (size_t)target->width + (size_t)x0) * 3;
        for (int x = x0; x < x1; x++, pixel += 3)
        {
            pixel[0] = blend(pixel[0], color.red, opacity);
            pixel[1] = blend(pixel[1], color.green, opacity);
            pixel[2] = blend(pixel[2], color.blue, opacity);
        }
    }
}

void sac_canvas_outline(const canvas *target, box b, ink color, float opacity)
{
    sac_canvas_fill(target, (box){b.x, b.y, b.width, 1}, color, opacity);
    sac_canvas_fill(target, (box){b.x, b.y + b.height - 1, b.width, 1}, color, opacity);
    sac_canvas_fill(target, (box){b.x, b.y + 1, 1, b.height - 2}, color, opacity);
    sac_canvas_fill(target, (box){b.x + b.width - 1, b.y + 1, 1, b.height - 2}, color, opacity);
}

void sac_canvas_image(const canvas *target, box where, const uint8_t *image, int height, int width, int channels)
{
    int x0 = clamp(where.x, 0, target->width), x1 = clamp(where.x + where.width, 0, target->width);
    int y0 = clamp(where.y, 0, target->height), y1 = clamp(where.y + where.height, 0, target->height);
    if (x1 <= x0) return;
    int green = channels >= 3 ? 1 : 0, blue = channels >= 3 ? 2 : 0;
    for (int y = y0; y < y1; y++)
    {
        int row = (int)((int64_t)(y - where.y) * height / where.height);
        const uint8_t *source = image + (size_t)row * (size_t)width * (size_t)channels;
        uint8_t *pixel = target->rgb + ((size_t)y * (size_t)target->width + (size_t)x0) * 3;
        // the image is already as large as the box, which is true for most of a frame
        if (where.width == width && channels == 3)
        {
            memcpy(pixel, source + (size_t)(x0 - where.x) * 3, (size_t)(x1 - x0) * 3);
            continue;
        }
        for (int x = x0; x < x1; x++, pixel += 3)
        {
            const uint8_t *from = source + (size_t)((int64_t)(x - where.x) * width / where.width) * (size_t)channels;
            pixel[0] = from[0];
            pixel[1] = from[green];
            pixel[2] = from[blue];
        }
    }
}
