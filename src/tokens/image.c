#include "tokens/image.h"
#include "base/error.h"

/// Views of images, the grid of patches, and patches as tokens.

int sac_pixel_size(const sac_image *image)
{
    switch (image->order)
    {
    case SAC_PIXELS_PLAIN:
    case SAC_PIXELS_BGR: return image->channels;
    case SAC_PIXELS_RGBX:
    case SAC_PIXELS_BGRX: return 4;
    case SAC_PIXELS_GREY: return 1;
    }
    return image->channels;
}

sac_image sac_image_of(const uint8_t *pixels, int height, int width, int channels, sac_pixel_order order)
{
    SAC_ASSERT(height >= 1 && width >= 1 && channels >= 1);
    SAC_ASSERT(order == SAC_PIXELS_PLAIN || order == SAC_PIXELS_GREY || channels == 3);
    sac_image image = {.pixels = pixels, .height = height, .width = width, .channels = channels, .order = order};
    image.row_stride = (ptrdiff_t)width * sac_pixel_size(&image);
    return image;
}

sac_float_image sac_float_image_of(const float *pixels, int height, int width, int channels)
{
    SAC_ASSERT(height >= 1 && width >= 1 && channels >= 1);
    return (sac_float_image){pixels, height, width, channels, (ptrdiff_t)width * channels};
}

// A crop shares the pixels of its image: only the first pixel and the sides change.
sac_image sac_image_crop(const sac_image *image, int top, int left, int height, int width)
{
    SAC_ASSERT(top >= 0 && left >= 0 && height >= 1 && width >= 1);
    SAC_ASSERT(height <= image->height - top && width <= image->width - left);
    sac_image crop = *image;
    crop.pixels += top * image->row_stride + (ptrdiff_t)left * sac_pixel_size(image);
    crop.height = height;
    crop.width = width;
    return crop;
}

sac_grid sac_grid_of(int height, int width, int patch, int stride)
{
    SAC_ASSERT(patch >= 1 && patch <= height && patch <= width && stride >= 1);
    sac_grid grid = {.patch = patch, .stride = stride};
    grid.rows = (height - patch) / stride + 1;
    grid.columns = (width - patch) / stride + 1;
    grid.count = grid.rows * grid.columns;
    return grid;
}

void sac_grid_center(const sac_grid *grid, int index, int *row, int *column)
{
    SAC_ASSERT(index >= 0 && index < grid->count);
    *row = grid->patch / 2 + index / grid->columns * grid->stride;
    *column = grid->patch / 2 + index % grid->columns * grid->stride;
}

int sac_pixel_byte(sac_pixel_order order, int channel)
{
    switch (order)
    {
    case SAC_PIXELS_PLAIN:
    case SAC_PIXELS_RGBX: return channel;
    case SAC_PIXELS_BGR:
    case SAC_PIXELS_BGRX: return 2 - channel;
    case SAC_PIXELS_GREY: return 0;
    }
    return channel;
}

// Write the plane of one place in the patch, for all patches.
static void take_bytes(float *plane, const uint8_t *pixel, ptrdiff_t row_step, ptrdiff_t column_step, const sac_grid *g)
{
    for (int row = 0; row < g->rows; row++, pixel += row_step)
        for (int column = 0; column < g->columns; column++) *plane++ = (float)pixel[column * column_step] / 255.0f;
}

static void take_floats(float *plane, const float *pixel, ptrdiff_t row_step, ptrdiff_t column_step, const sac_grid *g)
{
    for (int row = 0; row < g->rows; row++, pixel += row_step)
        for (int column = 0; column < g->columns; column++) *plane++ = pixel[column * column_step];
}

// Token number (row, column, channel) of all patches is one plane: the pixel at that place in each of them.
void sac_image_patches(float *tokens, int stride, const sac_image *image, const sac_grid *grid)
{
    SAC_ASSERT(stride >= grid->count);
    ptrdiff_t size = sac_pixel_size(image);
    for (int row = 0; row < grid->patch; row++)
        for (int column = 0; column < grid->patch; column++)
            for (int channel = 0; channel < image->channels; channel++, tokens += stride)
                take_bytes(tokens,
                           image->pixels + row * image->row_stride + column * size +
                               sac_pixel_byte(image->order, channel),
                           grid->stride * image->row_stride, grid->stride * size, grid);
}

void sac_float_image_patches(float *tokens, int stride, const sac_float_image *image, const sac_grid *grid)
{
    SAC_ASSERT(stride >= grid->count);
    ptrdiff_t size = image->channels;
    for (int row = 0; row < grid->patch; row++)
        for (int i = 0; i < grid->patch * image->channels; i++, tokens += stride)
            take_floats(tokens, image->pixels + row * image->row_stride + i, grid->stride * image->row_stride,
                        grid->stride * size, grid);
}
