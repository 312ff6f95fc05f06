#pragma once

#include "saccade/base.h"

/// PNG pictures as [height, width, 3], 0..255.

/// Decode a picture of any colour type with at most 8 bits a channel; transparency is dropped, grey and palette become
/// RGB.
/// @param[out] rgb          released by sac_free; NULL on failure
/// @param      pixel_limit  larger pictures are an error, before any memory is taken
/// @param      where        names the source in errors
/// @return SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_png_decode(uint8_t **rgb, int *height, int *width, const void *bytes, size_t size,
                                      size_t pixel_limit, const char *where);

/// The same from a file.
SAC_CHECKED sac_status sac_png_read(uint8_t **rgb, int *height, int *width, const char *path, size_t pixel_limit);

/// Write a picture, atomically but without waiting for the disk.
SAC_CHECKED sac_status sac_png_write(const char *path, const uint8_t *rgb, int height, int width);

/// Encode a picture in memory, quickly rather than small.
/// @param[out] bytes  released by sac_free; NULL on failure
SAC_CHECKED sac_status sac_png_encode(uint8_t **bytes, size_t *size, const uint8_t *rgb, int height, int width);
