#include <math.h>
#include <string.h>

#include "saccade/overlay.h"

static const float LEAST_LIGHT = 0.3f; // the light that is left of a patch that matters least

static int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

// Find the first row of a picture of the observation that lies under row y of the image that is cut into patches.
static int row_under(int y, int height, const sac_gaze *gaze)
{
    const double whole = (double)gaze->above + (double)gaze->height + (double)gaze->beneath;
    return clamp((int)floor(((double)gaze->above + y) * height / whole), 0, height);
}

void sac_overlay_keep(float *keep, int height, int width, const sac_gaze *gaze)
{
    for (size_t i = 0; i < (size_t)height * (size_t)width; i++) keep[i] = 1;
    for (int rank = 0; rank < gaze->kept; rank++)
    {
        // If the policy looks at an enlarged or reduced observation, its patches are stretched back over the
        // observation.
        int row = gaze->top[rank] / gaze->columns * gaze->stride,
            column = gaze->top[rank] % gaze->columns * gaze->stride;
        int y0 = row_under(row, height, gaze), x0 = clamp(column * width / gaze->width, 0, width);
        int y1 = row_under(row + gaze->patch, height, gaze);
        int x1 = clamp((column + gaze->patch) * width / gaze->width, 0, width);
        float left = (float)rank / (float)gaze->kept;
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) keep[(size_t)y * (size_t)width + (size_t)x] *= left;
    }
}

// Find the first pixel of a picture that lies over cell `index` of `cells`: the least x with x cells / pixels >= index.
static int first_over(int index, int pixels, int cells)
{
    return (int)(((int64_t)index * pixels + cells - 1) / cells);
}

// Mix what the map leaves of a picture with a grey for the rest.
static void blend(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                  float strength, float grey)
{
    for (int y = 0; y < height; y++)
    {
        const float *row = keep + (size_t)((int64_t)y * keep_height / height) * (size_t)keep_width;
        uint8_t *line = rgb + (size_t)y * (size_t)width * 3;
        for (int cell = 0; cell < keep_width; cell++)
        {
            float cover = (1 - row[cell]) * strength;
            if (cover <= 0) continue;
            int end = 3 * first_over(cell + 1, width, keep_width);
            for (int i = 3 * first_over(cell, width, keep_width); i < end; i++)
                line[i] = (uint8_t)((float)line[i] * (1 - cover) + grey * cover + 0.5f);
        }
    }
}

void sac_overlay_blend(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                       float strength)
{
    blend(rgb, height, width, keep, keep_height, keep_width, strength, 255);
}

void sac_overlay_dim(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                     float strength)
{
    blend(rgb, height, width, keep, keep_height, keep_width, strength, 0);
}

// Find the patch whose centre is nearest to a pixel of the observation, along one axis.
static int nearest_patch(double pixel, int patch, int stride, int count)
{
    return clamp((int)floor((pixel - 0.5 * (patch - stride)) / stride), 0, count - 1);
}

// the row of patches at row y of a picture of the observation; -1: none, as the observation is cropped
static int row_at(int y, int height, const sac_gaze *gaze)
{
    const double whole = (double)gaze->above + (double)gaze->height + (double)gaze->beneath;
    const double pixel = (y + 0.5) * whole / height - (double)gaze->above;
    return pixel < 0 || pixel > gaze->height ? -1 : nearest_patch(pixel, gaze->patch, gaze->stride, gaze->rows);
}

static int column_at(int x, int width, const sac_gaze *gaze)
{
    return nearest_patch((x + 0.5) * gaze->width / width, gaze->patch, gaze->stride, gaze->columns);
}

// Rows that are not looked at get no attention.
static float level_at(const float *levels, int row, int column, const sac_gaze *gaze)
{
    return row < 0 ? 0 : levels[(ptrdiff_t)row * gaze->columns + column];
}

void sac_overlay_light(float *keep, int height, int width, const sac_gaze *gaze, const float *levels)
{
    for (int y = 0; y < height; y++)
    {
        const int row = row_at(y, height, gaze);
        for (int x = 0; x < width; x++)
            *keep++ = LEAST_LIGHT + (1 - LEAST_LIGHT) * level_at(levels, row, column_at(x, width, gaze), gaze);
    }
}

void sac_heat_map(uint8_t *rgb, int height, int width, const sac_gaze *gaze, const float *levels)
{
    uint8_t colors[256][3];
    for (int i = 0; i < 256; i++) sac_heat_color((float)i / 255, colors[i]);
    for (int y = 0; y < height; y++)
    {
        const int row = row_at(y, height, gaze);
        for (int x = 0; x < width; x++, rgb += 3)
            memcpy(rgb, colors[(int)(level_at(levels, row, column_at(x, width, gaze), gaze) * 255 + 0.5f)], 3);
    }
}
