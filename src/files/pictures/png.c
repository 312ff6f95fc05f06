#include "files/pictures/png.h"

#include <png.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

// libpng's simplified interface keeps its longjmp to itself and reports in image.message

enum
{
    FILE_LIMIT = 256 << 20
};

static sac_status fail_png(const char *where, const png_image *image)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: PNG: %s", where, image->message);
}

// libpng takes memory for a chunk by its stated length, so a chunk that claims to be longer than the file is refused.
static sac_status check_chunks(const uint8_t *bytes, size_t size, const char *where)
{
    enum
    {
        SIGNATURE = 8,
        AROUND = 12 // length, type, checksum
    };
    if (size < SIGNATURE || png_sig_cmp(bytes, 0, SIGNATURE) != 0) return SAC_OK; // libpng says why it is not a PNG
    for (size_t at = SIGNATURE; at + AROUND <= size;)
    {
        const uint8_t *b = bytes + at;
        size_t length = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (length > size - at - AROUND)
            return sac_fail(SAC_ERROR_FORMAT, "%.400s: PNG with a chunk of %zu bytes at byte %zu of %zu", where, length,
                            at, size);
        if (memcmp(b + 4, "IEND", 4) == 0) break;
        at += length + AROUND;
    }
    return SAC_OK;
}

// Decode to RGBA without touching the colours, then drop the fourth channel in place.
static sac_status decode(uint8_t **rgb, png_image *image, size_t pixel_limit, const char *where)
{
    size_t pixels = (size_t)image->width * image->height;
    if (pixels > pixel_limit)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: PNG of %u x %u pixels, expected at most %zu pixels", where,
                        image->width, image->height, pixel_limit);
    if (image->format & PNG_FORMAT_FLAG_LINEAR)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: PNG with 16 bits a channel, expected 8", where);
    image->format = PNG_FORMAT_RGBA;
    uint8_t *data = sac_alloc_array(pixels, 4);
    if (!data) return sac_fail_memory(where);
    if (!png_image_finish_read(image, NULL, data, 0, NULL))
    {
        sac_free(data);
        return fail_png(where, image);
    }
    for (size_t i = 0; i < pixels; i++) memmove(data + 3 * i, data + 4 * i, 3);
    *rgb = data;
    return SAC_OK;
}

sac_status sac_png_decode(uint8_t **rgb, int *height, int *width, const void *bytes, size_t size, size_t pixel_limit,
                          const char *where)
{
    *rgb = NULL;
    *height = *width = 0;
    SAC_TRY(check_chunks(bytes, size, where));
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, size)) return fail_png(where, &image);
    sac_status status = decode(rgb, &image, pixel_limit, where);
    if (status == SAC_OK) *height = (int)image.height, *width = (int)image.width;
    png_image_free(&image);
    return status;
}

sac_status sac_png_read(uint8_t **rgb, int *height, int *width, const char *path, size_t pixel_limit)
{
    *rgb = NULL;
    *height = *width = 0;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    sac_status status = sac_png_decode(rgb, height, width, bytes, size, pixel_limit, path);
    sac_free(bytes);
    return status;
}

sac_status sac_png_encode(uint8_t **bytes, size_t *size, const uint8_t *rgb, int height, int width)
{
    *bytes = NULL;
    *size = 0;
    if (height < 1 || width < 1) return sac_fail(SAC_ERROR_ARGUMENT, "a picture of %d x %d pixels", width, height);
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB, .flags = PNG_IMAGE_FLAG_FAST};
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    png_alloc_size_t most = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *data = sac_alloc(most);
    if (!data) return sac_fail_memory("a picture");
    if (!png_image_write_to_memory(&image, data, &most, 0, rgb, 0, NULL))
    {
        sac_free(data);
        return fail_png("a picture", &image);
    }
    *bytes = data;
    *size = most;
    return SAC_OK;
}

sac_status sac_png_write(const char *path, const uint8_t *rgb, int height, int width)
{
    uint8_t *bytes;
    size_t size;
    sac_status status = sac_png_encode(&bytes, &size, rgb, height, width);
    if (status != SAC_OK) return sac_fail_in(status, "%.400s", path);
    sac_atomic file = {.fast = true};
    status = sac_atomic_begin(&file, path);
    if (status == SAC_OK) status = sac_atomic_write(&file, bytes, size);
    if (status == SAC_OK) status = sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    sac_free(bytes);
    return status;
}
